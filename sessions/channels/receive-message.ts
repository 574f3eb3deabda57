import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { ChannelMessage } from "../../contracts/http/channels.ts"
import { threadAuthority } from "../../domain/caller/authority.ts"
import type { DeliveryInput } from "../../domain/delivery/delivery-policy.ts"
import { idempotencyLeaseMs } from "../../domain/caller/idempotency-lease.ts"
import { parseThreadCommand, type ThreadCommand } from "../../domain/delivery/thread-command.ts"
import { dayMs } from "../../domain/text/duration.ts"
import type { RemoteActor } from "../actor.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { digitsOf } from "../session-id.ts"
import { createSession } from "../start/create-session.ts"
import { sendMessage } from "../messages/send-message.ts"
import { bindingSettings, type ChannelConfig, requireChannel } from "./channel-settings.ts"
import { requestWork } from "../../engine/call-engine.ts"
import { startDelivery } from "../delivery/start-delivery.ts"
import { requireSession } from "../rows/require-session.ts"
import { endBinding, expiryReason } from "./end-binding.ts"
import { type Admission, admitMessage, runsPerHour } from "../messages/admit-message.ts"
import { isLive, liveBinding } from "../delivery/live-binding.ts"
import { postInThread, sayWhatWaits } from "./thread-notes.ts"
import { runThreadCommand } from "./run-thread-command.ts"

export type ChannelDelivery =
  /** `runId` is null for a command, which no run answers, and for a message that waits for the next one. */
  | { readonly kind: "accepted"; readonly sessionId: string; readonly runId: string | null }
  /** The message is one of this store's own deliveries. */
  | { readonly kind: "ignored" }

const keepMs = 7 * dayMs

const digits = (...parts: readonly string[]): string => digitsOf(JSON.stringify(parts))

interface IncomingMessage {
  readonly channel: string
  readonly settings: ChannelConfig
  readonly message: ChannelMessage
  readonly actor: RemoteActor
}

/** Returns the session to which the thread is bound; removes an expired binding. */
const boundSession = async (context: SessionsContext, incoming: IncomingMessage): Promise<string | undefined> => {
  const { store } = context
  const binding = await store.bindings.ofThread(incoming.channel, incoming.message.thread_key)
  if (binding === undefined) return undefined
  if (isLive(binding)) return binding.sessionId
  const deliver = (delivery: DeliveryInput) => requestWork(context, () => startDelivery(context, delivery))
  await endBinding({ store, deliver }, binding, expiryReason(binding, Date.now()))
  return undefined
}

/** Creates a session for the thread. If two first messages arrive at the same time, one creates it and both use it. */
const openSession = async (context: SessionsContext, incoming: IncomingMessage): Promise<string> => {
  const { loaded, store } = context
  const { channel, settings, message } = incoming
  if (!settings.threadBindings.spawnSubagentSessions)
    throw new AdjutantError("thread_not_found", `no session is bound to this thread of ${channel}: focus one`)
  const request = {
    sessionId: digits(store.storeId, channel, message.thread_key, message.message_id).slice(-12),
    cwd: loaded.projectRoot,
    ...(settings.agent === undefined ? {} : { agent: settings.agent }),
    actor: incoming.actor,
  }
  const { id } = await createSession(context, request, { channel })
  const binding = { sessionId: id, channel, threadKey: message.thread_key, ...bindingSettings(loaded.config, settings) }
  if (await store.bindings.bindNew(binding)) return id
  const winner = await boundSession(context, incoming)
  if (winner !== undefined && winner !== id) await store.sessions.remove(id)
  return winner ?? id
}

/** Executes a command, and answers in the thread. */
const answerCommand = async (
  context: SessionsContext,
  { message, actor }: IncomingMessage,
  { sessionId, messageId, command }: { sessionId: string; messageId: string; command: ThreadCommand },
): Promise<void> => {
  const { store } = context
  const row = await requireSession(store, sessionId)
  const binding = await liveBinding(store, sessionId)
  const text = await runThreadCommand(context, { row, command, messageId, actor })
  await postInThread(context, { sessionId, of: [message.message_id, "answer"], text, binding })
}

const notBound = (channel: string): AdjutantError =>
  new AdjutantError(
    "thread_not_found",
    `no task is bound to this thread of ${channel}: write a message that starts one, or focus one`,
  )

/** Says in the thread, once in each hour, that its messages wait because it has begun too many runs. */
const sayHeld = async (
  context: SessionsContext,
  sessionId: string,
  { untilMs }: { readonly untilMs: number },
): Promise<void> => {
  const until = new Date(untilMs).toISOString().slice(11, 16)
  const text = `This thread has begun ${runsPerHour} runs within an hour. What is written here now is read by its next run: the first message after ${until} UTC begins one.`
  await postInThread(context, { sessionId, of: [`${untilMs}`, "held"], text })
}

/** Sends a message to the session of its thread. */
const sendFromThread = async (
  context: SessionsContext,
  incoming: IncomingMessage,
  { sessionId, messageId }: { sessionId: string; messageId: string },
): Promise<string> => {
  const { runId, effect } = await sendMessage(context, {
    sessionId,
    text: incoming.message.text,
    type: "follow_up",
    messageId,
    delivery: "signal",
    isInThread: true,
    actor: incoming.actor,
  })
  if (effect === "queued") await sayWhatWaits(context, sessionId, messageId)
  return runId
}

/** Returns whether a message may begin a run now, or waits. An answer to a question begins none, so it never waits. */
const admissionOf = async ({ store }: SessionsContext, sessionId: string, messageId: string): Promise<Admission> => {
  const binding = await store.bindings.ofSession(sessionId)
  const pause = await store.pauses.current(sessionId)
  if (binding === undefined || pause?.type === "input_required") return { kind: "begins" }
  return await admitMessage(store, binding, { id: messageId, nowMs: Date.now() })
}

const deliverMessage = async (
  context: SessionsContext,
  incoming: IncomingMessage,
): Promise<{ sessionId: string; runId: string | null }> => {
  const { store, loaded } = context
  const { message, settings } = incoming
  const command = settings.commands ? parseThreadCommand(message.text) : undefined
  const bound = await boundSession(context, incoming)
  if (bound === undefined && command !== undefined) throw notBound(incoming.channel)
  const sessionId = bound ?? (await openSession(context, incoming))
  // A thread can be bound for longer than its channel is configured so.
  await store.bindings.patch(sessionId, { outbound: bindingSettings(loaded.config, settings).outbound })
  const messageId = `msg_${digits(incoming.channel, message.thread_key, message.message_id).slice(-20)}`
  if (command !== undefined) {
    await answerCommand(context, incoming, { sessionId, messageId, command })
    return { sessionId, runId: null }
  }
  const admission = await admissionOf(context, sessionId, messageId)
  if (admission.kind === "begins") {
    const runId = await sendFromThread(context, incoming, { sessionId, messageId })
    return { sessionId, runId }
  }
  await store.inbox.put({ id: messageId, sessionId, source: "follow_up", text: message.text })
  if (admission.isFirst) await sayHeld(context, sessionId, admission)
  return { sessionId, runId: null }
}

/**
 * Delivers a message from a thread to the session that is bound to it: it starts a run, answers a question, or is queued; a command is executed and
 * answered. A repeated message is delivered only once. Does not wait for a worker.
 * @throws AdjutantError `channel_not_found`, `thread_not_found`, `idempotency_conflict`, those of sending
 */
export const receiveChannelMessage = async (
  context: SessionsContext,
  channel: string,
  message: ChannelMessage,
): Promise<ChannelDelivery> => {
  const { store, loaded } = context
  const settings = requireChannel(loaded.config, channel)
  if (!settings.threadBindings.enabled)
    throw new AdjutantError(
      "thread_not_found",
      `channel ${channel} does not allow bindings: set threadBindings.enabled`,
    )
  if ((await store.deliveries.get(message.message_id)) !== undefined) return { kind: "ignored" }
  const key = { scope: `channel ${channel}`, key: digits(message.thread_key, message.message_id) }
  const state = await store.idempotencyKeys.begin({
    ...key,
    fingerprint: digits(message.text),
    keepMs,
    leaseMs: idempotencyLeaseMs,
  })
  if (state.kind === "answered") {
    const [sessionId = "", runId = ""] = state.body.split(" ")
    return { kind: "accepted", sessionId, runId: runId === "" ? null : runId }
  }
  if (state.kind !== "begun")
    throw new AdjutantError(
      "idempotency_conflict",
      "a message with this message_id is being handled, or had another text: try again, or use another id",
    )
  try {
    const by = `thread ${message.thread_key}`.slice(0, 200)
    const actor: RemoteActor = { by, via: `channel:${channel}`, kind: "person", authority: threadAuthority }
    const sent = await deliverMessage(context, { channel, settings, message, actor })
    await store.idempotencyKeys.finish(key, { status: 202, body: `${sent.sessionId} ${sent.runId ?? ""}` })
    return { kind: "accepted", ...sent }
  } catch (error) {
    await store.idempotencyKeys.release(key)
    throw error
  }
}

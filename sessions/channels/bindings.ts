import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { threadKeySchema } from "../../contracts/http/channels.ts"
import type { BindingRow } from "../../store/store.ts"
import { type Actor, auditedActor } from "../actor.ts"
import type { Page } from "../rows/page.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { requireSession } from "../rows/require-session.ts"
import { sendSignal } from "../../engine/send-update.ts"
import { type BindingView, bindingView, requireBinding } from "./binding-view.ts"
import { bindingSettings, chooseChannel, requireChannel } from "./channel-settings.ts"
import { isLive } from "../delivery/live-binding.ts"

export interface FocusRequest {
  readonly sessionId: string
  readonly threadKey: string
  /** Required if several channels are configured. */
  readonly channel?: string
  readonly actor: Actor
}

/** Signals a session that stays open to read its binding again. */
const signalBindingChange = async (context: SessionsContext, sessionId: string): Promise<void> => {
  try {
    await sendSignal(context, { sessionId, name: "binding", payload: {} })
  } catch (error) {
    context.logger.warn(
      { session_id: sessionId, error },
      "the session could not be signalled; it reads its binding again when its timer fires",
    )
  }
}

const audit = async (
  context: SessionsContext,
  row: BindingRow,
  entry: { readonly action: string; readonly actor: Actor },
) =>
  context.store.audit.record({
    sessionId: row.sessionId,
    runId: null,
    action: entry.action,
    ...auditedActor(entry.actor),
    detail: { channel: row.channel, thread_key: row.threadKey },
  })

const requireThreadKey = (text: string): string => {
  const parsed = threadKeySchema.safeParse(text)
  if (!parsed.success)
    throw new AdjutantError("invalid_argument", `thread: ${parsed.error.issues[0]?.message ?? "is not a thread key"}`)
  return parsed.data
}

/**
 * Binds a thread to a session: the session receives the thread's messages and answers there. Earlier bindings of both are removed.
 * @throws AdjutantError `session_not_found`, `channel_not_found`, `forbidden` if the channel does not allow bindings
 */
export const focus = async (context: SessionsContext, request: FocusRequest): Promise<BindingView> => {
  const { store, loaded } = context
  const { config } = loaded
  const row = await requireSession(store, request.sessionId)
  const channel = chooseChannel(config, request.channel)
  const settings = requireChannel(config, channel)
  if (!settings.threadBindings.enabled)
    throw new AdjutantError("forbidden", `channel ${channel} does not allow bindings: set threadBindings.enabled`)
  const threadKey = requireThreadKey(request.threadKey)
  const before = await store.bindings.ofThread(channel, threadKey)
  await store.bindings.bind({ sessionId: row.id, channel, threadKey, ...bindingSettings(config, settings) })
  const binding = await requireBinding(context, row.id)
  await audit(context, binding, { action: "focus", actor: request.actor })
  if (before !== undefined && before.sessionId !== row.id) await signalBindingChange(context, before.sessionId)
  await signalBindingChange(context, row.id)
  return bindingView(binding)
}

/** Removes the binding of a session. @throws AdjutantError `session_not_found`, `thread_not_found` */
export const unfocus = async (context: SessionsContext, sessionId: string, actor: Actor): Promise<BindingView> => {
  await requireBinding(context, sessionId)
  const removed = await context.store.bindings.remove(sessionId)
  if (removed === undefined)
    throw new AdjutantError("thread_not_found", `session ${sessionId} is not bound to a thread`)
  await audit(context, removed, { action: "unfocus", actor })
  await signalBindingChange(context, sessionId)
  return bindingView(removed)
}

/** Returns the session to which a thread is bound. @throws AdjutantError `thread_not_found`, `channel_not_found` */
export const sessionOfThread = async (
  context: SessionsContext,
  thread: { readonly channel?: string; readonly threadKey: string },
): Promise<string> => {
  const channel = chooseChannel(context.loaded.config, thread.channel)
  const binding = await context.store.bindings.ofThread(channel, thread.threadKey)
  if (binding === undefined || !isLive(binding))
    throw new AdjutantError(
      "thread_not_found",
      `no session is bound to thread ${thread.threadKey} of ${channel}: focus one`,
    )
  return binding.sessionId
}

/**
 * Changes when the binding expires; 0: never. The idle time starts again now.
 * @throws AdjutantError `session_not_found`, `thread_not_found`
 */
export const setExpiry = async (
  context: SessionsContext,
  request: { readonly sessionId: string; readonly idleMs?: number; readonly maxAgeMs?: number },
  actor: Actor,
): Promise<BindingView> => {
  const { sessionId, ...expiry } = request
  await requireBinding(context, sessionId)
  await context.store.bindings.patch(sessionId, expiry)
  const row = (await context.store.bindings.ofSession(sessionId)) ?? (await requireBinding(context, sessionId))
  await audit(context, row, { action: "binding-expiry", actor })
  await signalBindingChange(context, sessionId)
  return bindingView(row)
}

/** Returns the bindings that have not expired, the oldest first. */
export const listBindings = async ({ store }: SessionsContext): Promise<Page<BindingView>> => ({
  items: (await store.bindings.list()).filter((row) => isLive(row)).map(bindingView),
  next_cursor: null,
})

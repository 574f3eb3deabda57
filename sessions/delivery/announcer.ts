import { createHash } from "node:crypto"
import type { AnnouncedEvent } from "../../contracts/config/config-services.ts"
import type { OutboundWebhook } from "../../contracts/http/outbound-webhook.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { limitAdvice } from "../../domain/advice/limit-advice.ts"
import { pendingToolNames } from "../../domain/approval/resume-command.ts"
import { type DeliveryInput, deliveryPolicyOf } from "../../domain/delivery/delivery-policy.ts"
import { noTemporalUrl, type TemporalUrl } from "../../domain/engine/temporal-url.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import { answerText } from "../../domain/transcript/last-text.ts"
import { isSilentReply } from "../../domain/delegation/silent-reply.ts"
import type { BindingRow, PauseRow, RunRow, SessionRow, Store } from "../../store/store.ts"
import { outcomeNotice, pauseNotice } from "./build-notice.ts"
import { toPeople } from "./to-people.ts"
import { toUsage } from "../../domain/limits/usage-totals.ts"
import { storeThreadMessage } from "./thread-message.ts"
import { liveBinding } from "./live-binding.ts"
import { deliveryInputOf } from "./start-delivery.ts"
import { pausedBody, resultBody } from "./webhook-body.ts"

/** Stores the deliveries of an event, and returns those that the caller must start. Idempotent. */
export interface Announcer {
  /** `isTop`: no session above reads the result, so webhooks and people are told. */
  finished(run: {
    readonly sessionId: string
    readonly runId: string
    readonly isTop: boolean
    /** The run asked for no announcement. */
    readonly isSilent?: boolean
    /** The thread has already received the run's final message. */
    readonly isSaid?: boolean
  }): Promise<readonly DeliveryInput[]>
  /** Sends to the thread what the agent wrote between two places of the transcript, while its run is open. */
  said(part: {
    readonly sessionId: string
    readonly runId: string
    readonly afterSeq: number
    readonly headSeq: number
  }): Promise<readonly DeliveryInput[]>
  /** Sends the end of a sub-agent that was created by hand to the thread of its parent, which has no open run to read it. */
  childFinished(end: {
    readonly child: SessionRow
    readonly parent: SessionRow
    readonly runId: string
  }): Promise<readonly DeliveryInput[]>
  paused(pause: { readonly sessionId: string; readonly checkpointId: string }): Promise<readonly DeliveryInput[]>
}

interface Announcement {
  readonly row: SessionRow
  readonly runId: string
  readonly event: AnnouncedEvent
  /** Distinguishes announcements of the same event of one run. */
  readonly occurrence: string
}

/** `message`: what the agent says while its run is open. */
type ThreadMessage = Omit<Announcement, "event"> & { readonly event: AnnouncedEvent | "message" }

/** Returns the key of an announcement to a receiver: the same across retries and workers, and unique among stores that share an engine. */
const deliveryKey = (
  { storeId }: Store,
  { row, runId, event, occurrence }: ThreadMessage,
  receiver: readonly string[],
): string =>
  `dlv_${createHash("sha256")
    .update(JSON.stringify([storeId, row.id, runId, event, occurrence, ...receiver]))
    .digest("hex")
    .slice(0, 32)}`

const toWebhooks = async (
  store: Store,
  announcement: Announcement & { readonly snapshot: RunSnapshot },
  bodyOf: () => Promise<OutboundWebhook>,
): Promise<readonly DeliveryInput[]> => {
  const { row, runId, event, snapshot } = announcement
  const webhooks = snapshot.webhooks.filter(({ events }) => events.includes(event))
  if (webhooks.length === 0) return []
  const body = JSON.stringify(await bodyOf())
  const policy = deliveryPolicyOf(snapshot.timing)
  return Promise.all(
    webhooks.map(async ({ url, secretEnv }) => {
      const key = deliveryKey(store, announcement, [url, secretEnv])
      const delivery = { key, sessionId: row.id, runId, kind: "webhook", event, url, secretEnv, body, policy } as const
      await store.deliveries.create(delivery)
      return deliveryInputOf(delivery)
    }),
  )
}

/** Stores the messages to people about the end of a run. */
const tellOutcome = async (
  store: Store,
  { snapshot, ...announcement }: Announcement & { readonly snapshot: RunSnapshot },
  run: RunRow,
): Promise<readonly DeliveryInput[]> => {
  const kind = run.status === "completed" ? "finished" : "failed"
  return await toPeople(store, { ...announcement, kind, snapshot }, async () => {
    const { cost_usd: costUsd } = toUsage(await store.usage.total({ sessionId: run.sessionId, runId: run.runId }))
    return outcomeNotice(announcement.row, run, costUsd)
  })
}

/** Stores the messages to people about a pause. They contain links only if a public address is configured: a local address does not work on a phone. */
const tellPause = async (
  store: Store,
  { snapshot, ...announcement }: Announcement & { readonly snapshot: RunSnapshot },
  pause: PauseRow,
): Promise<readonly DeliveryInput[]> => {
  const kind = pause.type === "input_required" ? "question" : "approval"
  const publicUrl = snapshot.publicUrlIsDefault === true ? undefined : snapshot.publicUrl
  return await toPeople(store, { ...announcement, kind, snapshot }, (destination) =>
    pauseNotice(store, announcement.row, { pause, destination, publicUrl }),
  )
}

const toThread = async (
  store: Store,
  announcement: ThreadMessage & { readonly binding: BindingRow | undefined },
  text: string,
): Promise<readonly DeliveryInput[]> => {
  const { row, runId, event, binding } = announcement
  if (binding === undefined || text.trim() === "") return []
  const key = deliveryKey(store, announcement, ["channel", binding.channel, binding.threadKey])
  return [await storeThreadMessage(store, { key, row, runId, event, binding, text })]
}

/** Returns the text for a thread when a run ends: the agent's final message and, if the run did not complete, the reason. */
const channelResultText = (run: RunRow, isSaid: boolean): string => {
  const message = isSaid ? "" : (run.finalMessage ?? "")
  if (run.status === "completed") return message
  const why = `The run ended without completing (${run.stopReason ?? run.status})${run.error === null ? "." : `: ${run.error.message}`}`
  const advice = limitAdvice(run, { kind: "chat" })
  return [message, why, advice ?? ""].filter((part) => part !== "").join("\n\n")
}

/** Returns the text for a thread when a run pauses. A question is asked in the thread; calls are only named, since writing in a thread does not give the right to decide. */
const channelPauseText = (pause: PauseRow): string => {
  if (pause.type === "input_required") return pause.message
  return [pause.message, `Waiting for approval of: ${pendingToolNames(pause.calls)}.`]
    .filter((part) => part !== "")
    .join("\n\n")
}

/** Returns whether a run is not announced: it was cancelled, or asked for no announcement. */
const isSilent = (run: RunRow): boolean =>
  !isFinal(run.status) || run.status === "cancelled" || isSilentReply(run.finalMessage ?? "")

/** Returns the session with the outcome of its run. An outcome that the execution did not record is announced before it is in the session's row. */
const withOutcome = (row: SessionRow, { runId, status, stopReason, error, finalMessage }: RunRow): SessionRow =>
  row.runId === runId ? { ...row, status, stopReason, error, finalMessage, blockedBy: null } : row

/** Returns the occurrence of a run's outcome; a run that was opened again has a new outcome to announce. */
const outcomeNumberOf = ({ reopened }: RunRow): string => (reopened === 0 ? "" : `reopened-${reopened}`)

export const createAnnouncer = (store: Store, temporalUrl: TemporalUrl = noTemporalUrl): Announcer => ({
  finished: async ({ sessionId, runId, isTop, isSilent: isSilenced, isSaid = false }) => {
    if (isSilenced === true) return []
    const found = await store.sessions.get(sessionId)
    const run = await store.runs.get(runId)
    const snapshot = run === undefined ? undefined : await store.snapshots.get(run.snapshotHash)
    if (found === undefined || run === undefined || snapshot === undefined || isSilent(run)) return []
    const row = withOutcome(found, run)
    const announcement: Announcement = { row, runId, event: "run-finished", occurrence: outcomeNumberOf(run) }
    const binding = await store.bindings.ofSession(sessionId)
    const webhooks = isTop
      ? await toWebhooks(store, { ...announcement, snapshot }, () => resultBody({ store, temporalUrl }, row, run))
      : []
    const told = isTop ? await tellOutcome(store, { ...announcement, snapshot }, run) : []
    return [
      ...webhooks,
      ...told,
      ...(await toThread(store, { ...announcement, binding }, channelResultText(run, isSaid))),
    ]
  },

  said: async ({ sessionId, runId, afterSeq, headSeq }) => {
    const row = await store.sessions.get(sessionId)
    const binding = await store.bindings.ofSession(sessionId)
    if (row === undefined || binding === undefined) return []
    const rows = await store.messages.read(sessionId, { fromSeq: afterSeq + 1, headSeq })
    const texts = rows.flatMap(({ message, runId: of }) =>
      of === runId && message.role === "assistant" ? [answerText(message)] : [],
    )
    const text = texts.filter((each) => each.trim() !== "" && !isSilentReply(each)).join("\n\n")
    return await toThread(store, { row, runId, event: "message", occurrence: `${headSeq}`, binding }, text)
  },

  childFinished: async ({ child, parent, runId }) => {
    const run = await store.runs.get(runId)
    if (run === undefined) return []
    const binding = await liveBinding(store, parent.id)
    const name = child.label === null ? child.agent : `${child.agent} "${child.label}"`
    const text = `Sub-agent ${child.id} (${name}): ${run.status}\n\n${channelResultText(run, false)}`
    const occurrence = `${child.id} ${runId} ${outcomeNumberOf(run)}`
    return await toThread(store, { row: parent, runId, event: "run-finished", occurrence, binding }, text.trim())
  },

  paused: async ({ sessionId, checkpointId }) => {
    const pause: PauseRow | undefined = await store.pauses.byCheckpoint(checkpointId)
    const row = await store.sessions.get(sessionId)
    const run = pause === undefined ? undefined : await store.runs.get(pause.runId)
    const snapshot = run === undefined ? undefined : await store.snapshots.get(run.snapshotHash)
    if (pause === undefined || row === undefined || snapshot === undefined || pause.closedAt !== null) return []
    const announcement: Announcement = { row, runId: pause.runId, event: "run-paused", occurrence: checkpointId }
    const binding = await store.bindings.ofSession(sessionId)
    const webhooks = await toWebhooks(store, { ...announcement, snapshot }, async () => {
      const listening = snapshot.publicUrlIsDefault === true ? await store.publicAddress.read() : undefined
      return await pausedBody({ store, temporalUrl }, row, { pause, publicUrl: listening ?? snapshot.publicUrl })
    })
    const told = await tellPause(store, { ...announcement, snapshot }, pause)
    return [...webhooks, ...told, ...(await toThread(store, { ...announcement, binding }, channelPauseText(pause)))]
  },
})

import type { AnnouncedEvent } from "../../contracts/config/config-services.ts"
import type { OutboundWebhook } from "../../contracts/http/outbound-webhook.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import type { DeliveryInput, DeliveryPolicy } from "../../domain/delivery/delivery-policy.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import { isSilentReply } from "../../domain/delegation/text/silent-reply.ts"
import type { BindingRow, PauseRow, RunRow, SessionRow, Store } from "../../store/store.ts"
import { liveBinding } from "../channels/live-binding.ts"
import { channelPauseText, channelResultText } from "./channel-text.ts"
import { deliveryKey } from "./delivery-key.ts"
import { pausedBody, resultBody } from "./webhook-body.ts"

/** Writes down what has to go out for something that happened; whoever calls it then starts what it answers. Repeating it writes nothing more. */
export interface Announcer {
  /** `isTop`: no session above hears of it, so that webhooks do. */
  finished(run: {
    readonly sessionId: string
    readonly runId: string
    readonly isTop: boolean
    /** It asked that nothing be announced. */
    readonly isSilent?: boolean
  }): Promise<readonly DeliveryInput[]>
  paused(pause: { readonly sessionId: string; readonly checkpointId: string }): Promise<readonly DeliveryInput[]>
}

interface Occasion {
  readonly row: SessionRow
  readonly runId: string
  readonly event: AnnouncedEvent
  /** Tells occasions of one run and event apart. */
  readonly occasion: string
}

const policyOf = ({ timing }: RunSnapshot): DeliveryPolicy => ({
  attempts: timing.deliveryAttempts,
  initialMs: timing.deliveryInitialMs,
  maxMs: timing.deliveryMaxMs,
  timeoutMs: timing.deliveryTimeoutMs,
})

const toWebhooks = async (
  store: Pick<Store, "storeId" | "deliveries">,
  at: Occasion & { readonly snapshot: RunSnapshot },
  bodyOf: () => Promise<OutboundWebhook>,
): Promise<readonly DeliveryInput[]> => {
  const { row, runId, event, snapshot } = at
  const webhooks = snapshot.webhooks.filter(({ events }) => events.includes(event))
  if (webhooks.length === 0) return []
  const body = JSON.stringify(await bodyOf())
  const policy = policyOf(snapshot)
  return Promise.all(
    webhooks.map(async ({ url, secretEnv }) => {
      const key = deliveryKey(store.storeId, [row.id, runId, event, at.occasion, url, secretEnv])
      await store.deliveries.create({
        key,
        sessionId: row.id,
        runId,
        kind: "webhook",
        event,
        url,
        secretEnv,
        body,
        policy,
      })
      return { key, policy, summary: `${event} of ${row.id} to a webhook` }
    }),
  )
}

const toThread = async (
  store: Pick<Store, "storeId" | "deliveries" | "bindings">,
  at: Occasion & { readonly binding: BindingRow | undefined },
  text: string,
): Promise<readonly DeliveryInput[]> => {
  const { row, runId, event, binding } = at
  if (binding === undefined || text.trim() === "") return []
  const { channel, threadKey, outbound } = binding
  const { url, secretEnv, policy } = outbound
  const key = deliveryKey(store.storeId, [row.id, runId, event, at.occasion, "channel", channel, threadKey])
  const body = JSON.stringify({ thread_key: threadKey, text, message_id: key, session_id: row.id })
  await store.deliveries.create({ key, sessionId: row.id, runId, kind: "channel", event, url, secretEnv, body, policy })
  await store.bindings.touch(row.id)
  return [{ key, policy, summary: `${event} of ${row.id} to channel ${channel}` }]
}

const snapshotOf = async (store: Pick<Store, "snapshots">, run: RunRow): Promise<RunSnapshot | undefined> =>
  store.snapshots.get(run.snapshotHash)

/** A run that was cancelled, or that asks for silence, is announced to nobody. */
const isSilent = (run: RunRow): boolean =>
  !isFinal(run.status) || run.status === "cancelled" || isSilentReply(run.finalMessage ?? "")

/** A run that was opened again has another end to announce. */
const endOf = ({ reopened }: RunRow): string => (reopened === 0 ? "" : `reopened-${reopened}`)

export const createAnnouncer = (store: Store): Announcer => ({
  finished: async ({ sessionId, runId, isTop, isSilent: asksSilence }) => {
    if (asksSilence === true) return []
    const row = await store.sessions.get(sessionId)
    const run = await store.runs.get(runId)
    const snapshot = run === undefined ? undefined : await snapshotOf(store, run)
    if (row === undefined || run === undefined || snapshot === undefined || isSilent(run)) return []
    const occasion: Occasion = { row, runId, event: "run-finished", occasion: endOf(run) }
    const binding = await liveBinding(store, sessionId)
    const webhooks = isTop ? await toWebhooks(store, { ...occasion, snapshot }, () => resultBody(store, row, run)) : []
    return [...webhooks, ...(await toThread(store, { ...occasion, binding }, channelResultText(run)))]
  },

  paused: async ({ sessionId, checkpointId }) => {
    const pause: PauseRow | undefined = await store.pauses.byCheckpoint(checkpointId)
    const row = await store.sessions.get(sessionId)
    const run = pause === undefined ? undefined : await store.runs.get(pause.runId)
    const snapshot = run === undefined ? undefined : await snapshotOf(store, run)
    if (pause === undefined || row === undefined || snapshot === undefined || pause.closedAt !== null) return []
    const occasion: Occasion = { row, runId: pause.runId, event: "run-paused", occasion: checkpointId }
    const binding = await liveBinding(store, sessionId)
    const webhooks = await toWebhooks(store, { ...occasion, snapshot }, async () => {
      const listening = snapshot.publicUrlIsDefault === true ? await store.publicAddress.read() : undefined
      return await pausedBody(store, row, { pause, publicUrl: listening ?? snapshot.publicUrl })
    })
    return [...webhooks, ...(await toThread(store, { ...occasion, binding }, channelPauseText(pause)))]
  },
})

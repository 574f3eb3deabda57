import { createHash } from "node:crypto"
import type { DeliveryInput } from "../../domain/delivery/delivery-policy.ts"
import { durationText } from "../../domain/text/figures.ts"
import { storeThreadMessage } from "../delivery/thread-message.ts"
import type { BindingRow, Store } from "../../store/store.ts"

interface EndDependencies {
  readonly store: Pick<Store, "storeId" | "sessions" | "bindings" | "deliveries" | "audit">
  readonly deliver: (delivery: DeliveryInput) => Promise<void>
}

export type BindingEnd = "idle" | "max-age" | "closed"

/** Returns why a binding that has expired ended. */
export const expiryReason = (binding: BindingRow, nowMs: number): "idle" | "max-age" =>
  binding.maxAgeMs > 0 && Date.parse(binding.boundAt) + binding.maxAgeMs <= nowMs ? "max-age" : "idle"

const whyOf = ({ idleMs, maxAgeMs }: BindingRow, reason: BindingEnd): string => {
  switch (reason) {
    case "idle":
      return `nobody has written here for ${durationText(idleMs)}`
    case "max-age":
      return `it was bound ${durationText(maxAgeMs)} ago`
    case "closed":
      return "the task was closed"
  }
}

/** Ends a binding that nobody has ended by hand: the audit log and one note in the thread say why. */
export const endBinding = async (
  { store, deliver }: EndDependencies,
  binding: BindingRow,
  reason: BindingEnd,
): Promise<void> => {
  const { sessionId, channel, threadKey, boundAt, outbound } = binding
  const row = await store.sessions.get(sessionId)
  if (row !== undefined) {
    const next = outbound.spawnSubagentSessions
      ? " The next message starts a new task, without this one's history."
      : ""
    const text = `This thread is no longer bound to task ${sessionId}: ${whyOf(binding, reason)}.${next}`
    const digest = createHash("sha256").update(JSON.stringify([store.storeId, sessionId, threadKey, boundAt, "end"]))
    const key = `dlv_${digest.digest("hex").slice(0, 32)}`
    const note = { key, row, runId: row.runId ?? "", event: "message", binding, text }
    await deliver(await storeThreadMessage(store, note))
  }
  if ((await store.bindings.remove(sessionId)) === undefined) return
  await store.audit.record({
    sessionId,
    runId: null,
    action: "unfocus",
    by: "adjutant",
    via: "expiry",
    detail: { channel, thread_key: threadKey, reason: reason === "closed" ? "the session was closed" : reason },
  })
}

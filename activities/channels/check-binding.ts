import { bindingExpiresAtMs } from "../../domain/delivery/binding-expiry.ts"
import type { BindingRow } from "../../store/store.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import type { BindingActivities } from "../contract/binding-activities.ts"

const slackMs = 1

type Stores = Pick<AgentDependencies, "store">

/** Removes a binding, and records the reason in the audit log. */
export const release = async ({ store }: Stores, binding: BindingRow, reason: string): Promise<void> => {
  const { sessionId, channel, threadKey } = binding
  if ((await store.bindings.remove(sessionId)) === undefined) return
  await store.audit.record({
    sessionId,
    runId: null,
    action: "unfocus",
    by: "adjutant",
    via: "expiry",
    detail: { channel, thread_key: threadKey, reason },
  })
}

export const expiryReason = (binding: BindingRow, nowMs: number): string =>
  binding.maxAgeMs > 0 && Date.parse(binding.boundAt) + binding.maxAgeMs <= nowMs ? "max-age" : "idle"

export const createCheckBinding =
  ({ store }: Stores): BindingActivities["checkBinding"] =>
  async ({ sessionId }) => {
    const binding = await store.bindings.ofSession(sessionId)
    if (binding === undefined) return { kind: "unbound" }
    const end = bindingExpiresAtMs(binding)
    if (end === undefined) return { kind: "bound", leftMs: null }
    const now = Date.now()
    if (end > now) return { kind: "bound", leftMs: end - now + slackMs }
    await release({ store }, binding, expiryReason(binding, now))
    return { kind: "unbound" }
  }

export const createReleaseBinding =
  ({ store }: Stores): BindingActivities["releaseBinding"] =>
  async ({ sessionId }) => {
    const binding = await store.bindings.ofSession(sessionId)
    if (binding !== undefined) await release({ store }, binding, "the session was closed")
  }

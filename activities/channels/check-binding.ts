import { bindingExpiresAtMs } from "../../domain/delivery/binding-expiry.ts"
import { taskQueueOf } from "../../domain/engine/engine-names.ts"
import { type BindingEnd, endBinding, expiryReason } from "../../sessions/channels/end-binding.ts"
import { startDelivery } from "../../sessions/delivery/start-delivery.ts"
import type { BindingRow } from "../../store/store.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import type { BindingActivities } from "../contract/binding-activities.ts"

const slackMs = 1
/** A message is on its way to the session: its run keeps the binding. */
const openRunMs = 60_000

export type BindingDependencies = Pick<AgentDependencies, "store" | "temporal">

/** Ends a binding, with a note in its thread. */
export const release = ({ store, temporal }: BindingDependencies, binding: BindingRow, reason: BindingEnd) =>
  endBinding(
    { store, deliver: (delivery) => startDelivery({ temporal, taskQueue: taskQueueOf(store.storeId) }, delivery) },
    binding,
    reason,
  )

export const createCheckBinding =
  (deps: BindingDependencies): BindingActivities["checkBinding"] =>
  async ({ sessionId }) => {
    const binding = await deps.store.bindings.ofSession(sessionId)
    if (binding === undefined) return { kind: "unbound" }
    const end = bindingExpiresAtMs(binding)
    if (end === undefined) return { kind: "bound", leftMs: null }
    const now = Date.now()
    if (end > now) return { kind: "bound", leftMs: end - now + slackMs }
    if (binding.hasOpenRun) return { kind: "bound", leftMs: openRunMs }
    await release(deps, binding, expiryReason(binding, now))
    return { kind: "unbound" }
  }

export const createReleaseBinding =
  (deps: BindingDependencies): BindingActivities["releaseBinding"] =>
  async ({ sessionId }) => {
    const binding = await deps.store.bindings.ofSession(sessionId)
    if (binding !== undefined) await release(deps, binding, "closed")
  }

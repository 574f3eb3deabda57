import { isGrpcServiceError, WorkflowNotFoundError } from "@temporalio/client"
import { bindingAge, bindingExpiresAtMs } from "../../domain/delivery/binding-expiry.ts"
import { sessionWorkflowId } from "../../domain/engine/engine-names.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import { expiryReason, release } from "../channels/check-binding.ts"

/** Frees threads whose time is over. A session that stays open for its thread does so itself, at the moment; this is for all others. */
export const releaseExpiredBindings = async (
  { store, temporal }: Pick<AgentDependencies, "store" | "temporal">,
  nowMs: number,
): Promise<number> => {
  let released = 0
  for (const binding of await store.bindings.list()) {
    const end = bindingExpiresAtMs(bindingAge(binding))
    if (end === undefined || end > nowMs) continue
    await release({ store }, binding, expiryReason(binding, nowMs))
    released += 1
    try {
      await temporal.workflow.getHandle(sessionWorkflowId(binding.sessionId)).signal("binding", {})
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError) && !isGrpcServiceError(error)) throw error
    }
  }
  return released
}

import { isGrpcServiceError } from "@temporalio/client"
import { isLive } from "../../sessions/channels/live-binding.ts"
import { signalSession } from "../../engine/send-update.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import { expiryReason, release } from "../channels/check-binding.ts"

/** Frees threads whose time is over. A session that stays open for its thread does so itself, at the moment; this is for all others. */
export const releaseExpiredBindings = async (
  { store, temporal }: Pick<AgentDependencies, "store" | "temporal">,
  nowMs: number,
): Promise<number> => {
  let released = 0
  for (const binding of await store.bindings.list()) {
    if (isLive(binding, nowMs)) continue
    await release({ store }, binding, expiryReason(binding, nowMs))
    released += 1
    try {
      await signalSession(temporal, { sessionId: binding.sessionId, name: "binding", payload: {} })
    } catch (error) {
      if (!isGrpcServiceError(error)) throw error
    }
  }
  return released
}

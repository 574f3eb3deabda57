import { isGrpcServiceError } from "@temporalio/client"
import { isLive } from "../../sessions/delivery/live-binding.ts"
import { signalSession } from "../../engine/send-update.ts"
import type { BindingRow } from "../../store/store.ts"
import { expiryReason } from "../../sessions/channels/end-binding.ts"
import { type BindingDependencies, release } from "../channels/check-binding.ts"
import { type JobRun, tryRow } from "./job-run.ts"

const releaseBinding = async (
  { store, temporal }: BindingDependencies,
  binding: BindingRow,
  nowMs: number,
): Promise<void> => {
  await release({ store, temporal }, binding, expiryReason(binding, nowMs))
  try {
    await signalSession(temporal, { sessionId: binding.sessionId, name: "binding", payload: {} })
  } catch (error) {
    if (!isGrpcServiceError(error)) throw error
  }
}

/** Frees threads whose binding has expired. A session that stays open for its thread does so itself; this is for all others. */
export const releaseExpiredBindings = async (deps: BindingDependencies, nowMs: number, run: JobRun): Promise<void> => {
  for (const binding of await deps.store.bindings.list()) {
    const { sessionId: id } = binding
    if (isLive(binding, nowMs)) continue
    if (run.dryRun) run.plan({ id, action: "release its thread" })
    else await tryRow(run, id, () => releaseBinding(deps, binding, nowMs))
  }
}

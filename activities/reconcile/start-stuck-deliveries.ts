import { deliveryWorkflowId, taskQueueOf } from "../../domain/engine/engine-names.ts"
import { tryDescribeExecution } from "../../engine/describe-execution.ts"
import { deliveryInputOf, startDelivery } from "../../sessions/delivery/start-delivery.ts"
import type { DeliveryRow } from "../../store/store.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import { type JobRun, tryRow } from "./job-run.ts"

const graceMs = 60_000
const mostPerPass = 200

type DeliveryDependencies = Pick<AgentDependencies, "temporal" | "store">

/** Marks what an operator ended in the engine as failed, and starts what was never started. */
const repair = async (deps: DeliveryDependencies, row: DeliveryRow, run: JobRun): Promise<boolean> => {
  const execution = await tryDescribeExecution(deps.temporal, deliveryWorkflowId(row.key))
  if (execution === undefined || execution.status === "running") return false
  const wasNotMade = execution.status === "not_found" || execution.status === "failed"
  if (run.dryRun) {
    run.plan({ id: row.key, action: wasNotMade ? "start the delivery" : "mark the delivery as failed" })
    return true
  }
  if (wasNotMade) {
    await startDelivery({ temporal: deps.temporal, taskQueue: taskQueueOf(deps.store.storeId) }, deliveryInputOf(row))
    return true
  }
  const lastError = `its workflow ended in Temporal: ${execution.status}`
  return await deps.store.deliveries.patch(row.key, { status: "failed", lastError, nextTryAt: null }, ["pending"])
}

/** Repairs deliveries that no workflow is making: their start or their end was lost. Returns how many. */
export const startStuckDeliveries = async (deps: DeliveryDependencies, nowMs: number, run: JobRun): Promise<number> => {
  let repaired = 0
  for (const row of await deps.store.deliveries.listOverdue(new Date(nowMs - graceMs).toISOString(), mostPerPass))
    if ((await tryRow(run, row.key, () => repair(deps, row, run))) === true) repaired += 1
  return repaired
}

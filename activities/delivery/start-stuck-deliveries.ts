import { deliveryWorkflowId, taskQueueOf } from "../../domain/engine/engine-names.ts"
import { tryDescribeExecution } from "../../engine/describe-execution.ts"
import { deliveryInputOf, startDelivery } from "../../sessions/delivery/start-delivery.ts"
import type { DeliveryRow, Store } from "../../store/store.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"

const graceMs = 60_000
const mostPerPass = 200

/** What an operator ended in the engine is given up, what was never started is started. */
const repair = async (deps: Pick<AgentDependencies, "temporal" | "store">, row: DeliveryRow): Promise<boolean> => {
  const execution = await tryDescribeExecution(deps.temporal, deliveryWorkflowId(row.key))
  if (execution === undefined || execution.status === "running") return false
  if (execution.status === "not_found" || execution.status === "failed") {
    await startDelivery({ temporal: deps.temporal, taskQueue: taskQueueOf(deps.store.storeId) }, deliveryInputOf(row))
    return true
  }
  const lastError = `its workflow ended in Temporal: ${execution.status}`
  return await deps.store.deliveries.patch(row.key, { status: "failed", lastError, nextTryAt: null }, ["pending"])
}

/** Deliveries that nobody is making: their start or their end was lost. Answers how many were repaired. */
export const startStuckDeliveries = async (
  deps: Pick<AgentDependencies, "temporal" | "store">,
  nowMs: number,
): Promise<number> => {
  const { deliveries }: Pick<Store, "deliveries"> = deps.store
  let repaired = 0
  for (const row of await deliveries.listOverdue(new Date(nowMs - graceMs).toISOString(), mostPerPass))
    if (await repair(deps, row)) repaired += 1
  return repaired
}

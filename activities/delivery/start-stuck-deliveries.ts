import { type Client, WorkflowExecutionAlreadyStartedError } from "@temporalio/client"
import type { DeliveryInput } from "../../domain/delivery/delivery-policy.ts"
import { deliveryWorkflowId, taskQueueOf } from "../../domain/engine/engine-names.ts"
import type { DeliveryRow, Store } from "../../store/store.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"
import { describeExecution } from "../reconcile/describe-execution.ts"

const graceMs = 60_000
const mostPerPass = 200

/** Starts the workflow of a delivery unless it is there. One that was delivered cannot start again. */
export const startDelivery = async (temporal: Client, taskQueue: string, input: DeliveryInput): Promise<void> => {
  try {
    await temporal.workflow.start("delivery", {
      workflowId: deliveryWorkflowId(input.key),
      taskQueue,
      args: [input],
      workflowIdReusePolicy: "ALLOW_DUPLICATE_FAILED_ONLY",
      workflowIdConflictPolicy: "USE_EXISTING",
      staticSummary: input.summary,
    })
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
  }
}

const inputOf = ({ key, policy, event, sessionId, kind }: DeliveryRow): DeliveryInput => ({
  key,
  policy,
  summary: `${event} of ${sessionId} to a ${kind}`,
})

/** What an operator ended in the engine is given up, what was never started is started. */
const mend = async (deps: Pick<AgentDependencies, "temporal" | "store">, row: DeliveryRow): Promise<boolean> => {
  const execution = await describeExecution(deps.temporal, deliveryWorkflowId(row.key))
  if (execution === undefined || execution.status === "running") return false
  if (execution.status === "not_found" || execution.status === "failed") {
    await startDelivery(deps.temporal, taskQueueOf(deps.store.storeId), inputOf(row))
    return true
  }
  const lastError = `its workflow ended in Temporal: ${execution.status}`
  return await deps.store.deliveries.patch(row.key, { status: "failed", lastError, nextTryAt: null }, ["pending"])
}

/** Deliveries that nobody is making: their start or their end was lost. Answers how many were mended. */
export const startStuckDeliveries = async (
  deps: Pick<AgentDependencies, "temporal" | "store">,
  nowMs: number,
): Promise<number> => {
  const { deliveries }: Pick<Store, "deliveries"> = deps.store
  let mended = 0
  for (const row of await deliveries.listOverdue(new Date(nowMs - graceMs).toISOString(), mostPerPass))
    if (await mend(deps, row)) mended += 1
  return mended
}

import { ParentClosePolicy, startChild, workflowInfo } from "@temporalio/workflow"
import { WorkflowExecutionAlreadyStartedError } from "@temporalio/common"
import type { DeliveryInput } from "../../domain/delivery/delivery-policy.ts"
import { deliveryWorkflowId } from "../../domain/engine/engine-names.ts"
import { delivery } from "./delivery.ts"

const start = async (input: DeliveryInput): Promise<void> => {
  try {
    await startChild(delivery, {
      workflowId: deliveryWorkflowId(input.key),
      args: [input],
      taskQueue: workflowInfo().taskQueue,
      parentClosePolicy: ParentClosePolicy.ABANDON,
      workflowIdReusePolicy: "ALLOW_DUPLICATE_FAILED_ONLY",
      staticSummary: input.summary,
    })
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
  }
}

/** Awaits their start: the session may close right afterwards. Deliveries continue without it. */
export const startDeliveries = async (inputs: readonly DeliveryInput[] | undefined): Promise<void> => {
  await Promise.all((inputs ?? []).map(start))
}

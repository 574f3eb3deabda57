import { WorkflowExecutionAlreadyStartedError } from "@temporalio/client"
import type { DeliveryInput } from "../../domain/delivery/delivery-policy.ts"
import { deliveryWorkflowId } from "../../domain/engine/engine-names.ts"
import { callEngine } from "../../engine/call-engine.ts"
import type { SessionsContext } from "../sessions-context.ts"

/** Starts a delivery unless it is under way or was made. @throws AdjutantError `temporal_unavailable` */
export const startDelivery = async (context: SessionsContext, input: DeliveryInput): Promise<void> => {
  try {
    await callEngine(context, () =>
      context.temporal.workflow.start("delivery", {
        workflowId: deliveryWorkflowId(input.key),
        taskQueue: context.taskQueue,
        args: [input],
        workflowIdReusePolicy: "ALLOW_DUPLICATE_FAILED_ONLY",
        workflowIdConflictPolicy: "USE_EXISTING",
        staticSummary: input.summary,
      }),
    )
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error
  }
}

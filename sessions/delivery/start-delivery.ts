import { WorkflowExecutionAlreadyStartedError } from "@temporalio/client"
import type { DeliveryInput } from "../../domain/delivery/delivery-policy.ts"
import { deliveryWorkflowId } from "../../domain/engine/engine-names.ts"
import type { TemporalClient } from "../../engine/temporal-client.ts"
import type { DeliveryRow } from "../../store/store.ts"

export interface DeliveryEngine {
  readonly temporal: { readonly workflow: Pick<TemporalClient["workflow"], "start"> }
  readonly taskQueue: string
}

/** Starts a delivery's workflow unless it is open or has succeeded. One request, which may be repeated. */
export const startDelivery = async ({ temporal, taskQueue }: DeliveryEngine, input: DeliveryInput): Promise<void> => {
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

/** Returns the input of a delivery's workflow. */
export const deliveryInputOf = ({
  key,
  policy,
  event,
  sessionId,
  kind,
}: Pick<DeliveryRow, "key" | "policy" | "event" | "sessionId" | "kind">): DeliveryInput => ({
  key,
  policy,
  summary: `${event} of ${sessionId} to a ${kind}`,
})

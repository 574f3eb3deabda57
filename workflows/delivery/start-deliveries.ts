import { ParentClosePolicy, startChild, workflowInfo } from "@temporalio/workflow"
import { WorkflowExecutionAlreadyStartedError } from "@temporalio/common"
import type { DeliveryInput } from "../../domain/delivery/delivery-policy.ts"
import { deliveryWorkflowId } from "../../domain/engine/engine-names.ts"
import { delivery } from "./delivery.ts"
import { hasThread } from "../messages/waiting-messages.ts"
import { storeActivities } from "../store-activities.ts"
import type { SessionContext } from "../session/session-context.ts"

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

/** Sends what the agent has said since the last time to its thread: its run stays open while its sub-agents work. */
export const sayInThread = async (context: SessionContext): Promise<void> => {
  const { state } = context
  const { run } = state
  const { saidSeq: afterSeq } = run
  if (!hasThread(context) || afterSeq === undefined || afterSeq >= state.headSeq) return
  const scope = { sessionId: state.sessionId, runId: run.reference.run_id }
  const { deliveries } = await storeActivities.sayInThread({ ...scope, afterSeq, headSeq: state.headSeq })
  run.saidSeq = state.headSeq
  await startDeliveries(deliveries)
}

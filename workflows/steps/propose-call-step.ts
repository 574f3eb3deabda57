import { ApplicationFailure } from "@temporalio/workflow"
import { type BatchCall, withCallState } from "../../domain/run/tool-batch.ts"
import { adoptApproval } from "../agent/read-settings.ts"
import { runScope } from "../agent/run-scope.ts"
import { type SessionContext, takeOutbox } from "../agent/session-context.ts"
import { textsToWrite } from "../agent/transcript-places.ts"
import { record } from "../record-activities.ts"
import { takeAnswer } from "./call-model-step.ts"
import { recordOnMachine } from "./record-on-machine.ts"

/** Proposes the one call of a run without a model, in the place of a model. */
export const proposeCall = async (context: SessionContext): Promise<void> => {
  await adoptApproval(context)
  const { state } = context
  const append = textsToWrite(context)
  const assistantSeq = state.headSeq + 1
  const input = { ...runScope(context), assistantSeq, append, outbox: takeOutbox(state) }
  const answer = await recordOnMachine(context, "propose the call", (activities) => activities.proposeCall(input))
  if (answer.kind === "failed") throw ApplicationFailure.nonRetryable(answer.error.message, answer.error.code)
  takeAnswer(context, assistantSeq, answer)
}

/** Writes the result that a person gave instead of the one call, as the answer of its run. */
export const writeResult = async (context: SessionContext, call: BatchCall, text: string): Promise<void> => {
  const { run } = context.state
  await record.writeResult({ ...runScope(context), seq: call.resultSeq, text })
  if (run.batch !== null) run.batch = withCallState(run.batch, call.id, { at: "done" })
}

import { resumeSubagentTaskInputSchema, resumeTaskInputSchema } from "../../contracts/delegation/tasks-input.ts"
import { assertNever } from "../../domain/assert-never.ts"
import { taskNotFound } from "../../domain/delegation/error-result.ts"
import { planResume, resumedText, type ResumeRequest, resumeRequestOf } from "../../domain/delegation/plan-resume.ts"
import type { PausedCall } from "../../store/store.ts"
import { staleCheckpointText } from "../../sessions/view/require-session.ts"
import { decideForChild, messageChild, restartChild } from "./control-child.ts"
import {
  argumentsOf,
  type DelegationCall,
  type DelegationHandler,
  type DelegationOutcome,
  findChild,
} from "./delegation-call.ts"
import { DelegationRefusal } from "../../domain/delegation/delegation-refusal.ts"

/** Whether the agent may approve a call that runs outside a sandbox is a matter of its own policy. */
const resumableCall = ({ id, isProtected }: PausedCall) => ({ id, needsPerson: isProtected === true })

const resume = async (
  delegation: DelegationCall,
  { taskId, checkpointId }: { readonly taskId: string; readonly checkpointId: string | undefined },
  request: ResumeRequest,
): Promise<DelegationOutcome> => {
  const row = await findChild(delegation, taskId)
  if (row === undefined) return { content: taskNotFound(taskId).text, isError: true }
  const pause = await delegation.deps.store.pauses.current(row.id)
  if (checkpointId !== undefined && pause?.checkpointId !== checkpointId)
    throw new DelegationRefusal("RESUME_TASK_ERROR", staleCheckpointText(checkpointId, row.id))
  const plan = planResume(request, {
    status: row.status,
    pause: pause === undefined ? null : { type: pause.type, calls: pause.calls.map(resumableCall) },
  })
  switch (plan.kind) {
    case "refused":
      throw new DelegationRefusal(plan.code, plan.message)
    case "follow_up":
      return restartChild(delegation, row, plan.text)
    case "input":
      await messageChild(delegation, row, { text: plan.text, type: "message" })
      return { content: `Task ${row.id} continues with your answer.` }
    case "decide":
      if (pause === undefined) throw new DelegationRefusal("RESUME_TASK_ERROR", `task ${row.id} has no open pause`)
      await decideForChild(delegation, row, { pause, ...plan })
      return { content: resumedText(row.id, plan) }
    default:
      return assertNever(plan)
  }
}

export const resumeSubagentTask: DelegationHandler = (delegation) => {
  const {
    task_id: taskId,
    checkpoint_id: checkpointId,
    ...request
  } = argumentsOf(resumeSubagentTaskInputSchema, delegation)
  return resume(delegation, { taskId, checkpointId }, request)
}

export const resumeTask: DelegationHandler = (delegation) => {
  const input = argumentsOf(resumeTaskInputSchema, delegation)
  const { tool_decisions: decisions, prompt } = input
  if ((decisions === undefined) === (prompt === undefined) || decisions?.length === 0)
    throw new DelegationRefusal("VALIDATION_ERROR", "give either tool_decisions, with at least one decision, or prompt")
  return resume(delegation, { taskId: input.task_id, checkpointId: input.checkpoint_id }, resumeRequestOf(input))
}

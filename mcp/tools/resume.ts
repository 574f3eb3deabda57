import { resumeSubagentTaskInputSchema, resumeTaskInputSchema } from "../../contracts/delegation/tasks-input.ts"
import type { CallDecision } from "../../contracts/approval/decision.ts"
import { needsPerson } from "../../domain/approval/only-a-person.ts"
import { errorResult } from "../../domain/delegation/error-result.ts"
import {
  planResume,
  resumedText,
  type ResumePlan,
  type ResumeRequest,
  resumeRequestOf,
} from "../../domain/delegation/plan-resume.ts"
import type { ToolAnswer } from "../../domain/delegation/tool-answer.ts"
import type { TaskFacts } from "../../domain/delegation/task/task-details.ts"
import { orError } from "../answers/error-answer.ts"
import { staleCheckpointText } from "../../sessions/view/require-session.ts"
import { withTask } from "../find-session.ts"
import type { McpContext, ToolCall } from "../mcp-context.ts"
import { answeringTool, invalidArguments } from "../parse-arguments.ts"

const mayNotApprove = (taskId: string): ToolAnswer =>
  errorResult(
    "VALIDATION_ERROR",
    `this server does not accept approvals; a person decides with \`adjutant resume ${taskId}\``,
  )

const approves = (request: ResumeRequest): boolean => request.approve_all === true || (request.approve ?? []).length > 0

/** Returns the plan for the task's own pause. Pending calls of its descendants are decided on the task that owns them. */
const planFor = (request: ResumeRequest, facts: TaskFacts): ResumePlan => {
  const pause = facts.pause
  const own = pause?.calls.filter((call) => call.task_id === undefined) ?? []
  const owners = [...new Set(pause?.calls.flatMap((call) => call.task_id ?? []))]
  if (pause !== null && pause.type === "tool_approval_required" && own.length === 0)
    return {
      kind: "refused",
      code: "RESUME_TASK_ERROR",
      message: `task ${facts.id} has no pending calls of its own; resume ${owners.join(", ")}`,
    }
  return planResume(request, {
    status: facts.status,
    pause:
      pause === null
        ? null
        : {
            type: pause.type,
            calls: own.map((call) => ({
              id: call.id,
              needsPerson: needsPerson({ ...call, isProtected: call.protected }),
            })),
          },
  })
}

const decisionsOf = (plan: Extract<ResumePlan, { kind: "decide" }>): Readonly<Record<string, CallDecision>> =>
  Object.fromEntries<CallDecision>([
    ...plan.approved.map((id): [string, CallDecision] => [id, { action: "accept" }]),
    ...plan.rejected.map((id): [string, CallDecision] => [id, { action: "reject" }]),
  ])

const resumed = (taskId: string, runId: string, what: string): ToolAnswer => ({
  text: `Task ${taskId} continues: ${what}. Collect it with wait_for_tasks {task_ids: ["${taskId}"]}.`,
  structured: { task_id: taskId, run_id: runId, status: "running" },
  isError: false,
})

const stillPaused = (taskId: string, runId: string, plan: Extract<ResumePlan, { kind: "decide" }>): ToolAnswer => ({
  text: resumedText(taskId, plan),
  structured: { task_id: taskId, run_id: runId, status: "paused", protected_pending: [...plan.left] },
  isError: false,
})

interface ResumeOf {
  readonly taskId: string
  /** The checkpoint that the client named: the one that it decides about, and no other. */
  readonly checkpointId: string | undefined
  readonly request: ResumeRequest
}

const resume = async (
  { client, noApprove }: McpContext,
  { actor }: ToolCall,
  { taskId, checkpointId, request }: ResumeOf,
): Promise<ToolAnswer> => {
  const { facts } = await client.report(taskId)
  if (checkpointId !== undefined && facts.pause?.checkpointId !== checkpointId)
    return errorResult("RESUME_TASK_ERROR", staleCheckpointText(checkpointId, taskId))
  const plan = planFor(request, facts)
  if (plan.kind === "refused") return errorResult(plan.code, plan.message)
  if (plan.kind === "decide") {
    if (noApprove && plan.approved.length > 0) return mayNotApprove(taskId)
    const sent = await client.decide({
      sessionId: taskId,
      ...(facts.pause === null ? {} : { checkpointId: facts.pause.checkpointId }),
      decisions: decisionsOf(plan),
      unlisted: plan.left.length === 0 ? "reject" : "pending",
      actor,
    })
    return plan.left.length === 0
      ? resumed(taskId, sent.runId, `${plan.approved.length} calls approved, ${plan.rejected.length} rejected`)
      : stillPaused(taskId, sent.runId, plan)
  }
  const sent = await client.send({
    sessionId: taskId,
    text: plan.text,
    type: "message",
    ...(plan.kind === "input" && facts.pause !== null ? { checkpointId: facts.pause.checkpointId } : {}),
    actor,
  })
  return resumed(taskId, sent.runId, plan.kind === "input" ? "answered" : "a new instruction")
}

const resumeOrRefuse = async (
  context: McpContext,
  call: ToolCall,
  { taskId, checkpointId, request }: ResumeOf,
): Promise<ToolAnswer> => {
  if (context.noApprove && approves(request)) return mayNotApprove(taskId)
  return await withTask(context, { task_id: taskId, checkpoint_id: checkpointId }, (id) =>
    orError("RESUME_TASK_ERROR", () => resume(context, call, { taskId: id, checkpointId, request })),
  )
}

export const resumeSubagentTaskTool = answeringTool(
  resumeSubagentTaskInputSchema,
  (context, call, { task_id: taskId, checkpoint_id: checkpointId, ...request }) =>
    resumeOrRefuse(context, call, { taskId, checkpointId, request }),
)

export const resumeTaskTool = answeringTool(
  resumeTaskInputSchema,
  async (context, call, { task_id: taskId, checkpoint_id: checkpointId, ...input }) => {
    const { tool_decisions: decisions, prompt } = input
    if ((decisions === undefined) === (prompt === undefined) || decisions?.length === 0)
      return invalidArguments("give either tool_decisions, with at least one decision, or prompt")
    return await resumeOrRefuse(context, call, { taskId, checkpointId, request: resumeRequestOf(input) })
  },
)

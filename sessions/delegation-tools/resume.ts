import { resumeSubagentTaskInputSchema, resumeTaskInputSchema } from "../../contracts/delegation/tasks-input.ts"
import { decidedTreeAnswer, resumedAnswer } from "../../domain/delegation/answers/resumed-answer.ts"
import { DelegationRefusal, refusalFor } from "../../domain/delegation/delegation-refusal.ts"
import {
  contradiction,
  planResume,
  type ResumePlan,
  type ResumeRequest,
  resumeRequestOf,
} from "../../domain/delegation/plan-resume.ts"
import type { TaskFacts } from "../../domain/delegation/task/task-details.ts"
import type { ToolAnswer } from "../../domain/delegation/tool-answer.ts"
import { isTreeCheckpoint } from "../pauses/tree-pause.ts"
import { staleCheckpoint } from "../../domain/caller/missing-targets.ts"
import { defineDelegationTool, invalid, requireNamedSubAgent } from "./define-tool.ts"
import { replyNow, type Reply, type SubAgents } from "./sub-agents.ts"

type Meant = { readonly taskId: string; readonly checkpointId: string | undefined }

/** Returns the plan for the task's own pause. What its descendants wait for is decided on the task that owns it. */
const planFor = <Later>(port: SubAgents<Later>, request: ResumeRequest, facts: TaskFacts): ResumePlan => {
  const { pause, status, id } = facts
  if (pause === null) return planResume(request, { status, pause })
  const { owner, calls } = pause
  if (owner.taskId !== id) {
    const owners = new Set([owner.taskId, ...calls.flatMap((call) => call.task_id ?? [])])
    throw new DelegationRefusal(
      "RESUME_TASK_ERROR",
      `task ${id} has no pending calls of its own; resume ${[...owners].join(", ")}, or all that its checkpoint ${pause.treeCheckpointId ?? pause.checkpointId} shows`,
    )
  }
  const own = calls.filter((call) => call.task_id === undefined)
  const resumable = own.map((call) => ({ id: call.id, needsPerson: port.needsPerson(call) }))
  return planResume(request, { status, pause: { type: owner.type, calls: resumable } })
}

/** Requires a caller that may approve, if the request does. A refused approval is recorded. */
const requireApproval = async <Later>(
  port: SubAgents<Later>,
  { id, pause }: TaskFacts,
  { approve = [], approve_all: all = false }: ResumeRequest,
): Promise<void> => {
  const { surface } = port
  if ((!all && approve.length === 0) || (surface.kind === "tool" && surface.mayApprove)) return
  await port.refusedApproval?.({ id, checkpointId: pause?.checkpointId, calls: all ? "all" : approve })
  throw invalid("this server does not accept approvals: a person decides, among the approvals that are pending")
}

/** Carries out what was planned for a task. */
const carryOut = async <Later>(
  port: SubAgents<Later>,
  plan: ResumePlan,
  { id, pause }: TaskFacts,
): Promise<Reply<ToolAnswer, Later>> => {
  if (plan.kind === "refused") throw new DelegationRefusal(plan.code, plan.message)
  if (plan.kind === "decide") {
    const { runId } = await port.decide({ id, checkpointId: pause?.checkpointId ?? "", ...plan })
    return replyNow(resumedAnswer(id, { runId, plan }, port.surface))
  }
  const checkpointId = plan.kind === "input" ? pause?.checkpointId : undefined
  const sent = await port.send({ id, text: plan.text, type: "message", checkpointId })
  return sent.kind === "later" ? sent : replyNow(resumedAnswer(id, { runId: sent.value.runId, plan }, port.surface))
}

/** Decides, or answers, what a checkpoint of a tree showed. */
const resumeTree = async <Later>(
  port: SubAgents<Later>,
  { id, checkpointId }: { readonly id: string; readonly checkpointId: string },
  request: ResumeRequest,
): Promise<Reply<ToolAnswer, Later>> => {
  if (port.decideTree === undefined)
    throw new DelegationRefusal(
      "RESUME_TASK_ERROR",
      "you decide for your own sub-agents only: name one, without a checkpoint",
    )
  const wrong = contradiction(request)
  if (wrong !== undefined) throw new DelegationRefusal(wrong.code, wrong.message)
  if (request.input !== undefined) {
    const sent = await port.send({ id, text: request.input, type: "message", checkpointId })
    const plan = { kind: "input", text: request.input } as const
    return sent.kind === "later" ? sent : replyNow(resumedAnswer(id, { runId: sent.value.runId, plan }, port.surface))
  }
  const named = (ids: readonly string[] = [], action: "accept" | "reject") =>
    ids.map((name) => [name, { action }] as const)
  const all = request.approve_all === true ? "accept" : request.reject_all === true ? "reject" : undefined
  const decisions = Object.fromEntries([...named(request.approve, "accept"), ...named(request.reject, "reject")])
  const decided = await port.decideTree({
    ...{ id, checkpointId, decisions },
    ...(all === undefined ? {} : { all: { action: all } }),
  })
  return replyNow(decidedTreeAnswer(id, decided, port.surface))
}

const resume = async <Later>(
  port: SubAgents<Later>,
  { taskId, checkpointId }: Meant,
  request: ResumeRequest,
): Promise<Reply<ToolAnswer, Later>> => {
  const id = await requireNamedSubAgent(port, taskId, { for: "task", checkpointId })
  if (checkpointId !== undefined && isTreeCheckpoint(checkpointId))
    return resumeTree(port, { id, checkpointId }, request)
  const facts = await port.facts(id)
  await requireApproval(port, facts, request)
  if (checkpointId !== undefined && facts.pause?.checkpointId !== checkpointId)
    throw refusalFor(staleCheckpoint(checkpointId, id), "RESUME_TASK_ERROR", port.surface)
  return carryOut(port, planFor(port, request, facts), facts)
}

export const resumeSubagentTask = defineDelegationTool(resumeSubagentTaskInputSchema, (port, input) => {
  const { task_id: taskId, checkpoint_id: checkpointId, ...request } = input
  return resume(port, { taskId, checkpointId }, request)
})

export const resumeTask = defineDelegationTool(resumeTaskInputSchema, async (port, input) => {
  const { task_id: taskId, checkpoint_id: checkpointId, tool_decisions: decisions, prompt } = input
  if ((decisions === undefined) === (prompt === undefined) || decisions?.length === 0)
    throw invalid("give either tool_decisions, with at least one decision, or prompt")
  return resume(port, { taskId, checkpointId }, resumeRequestOf(input))
})

import { advise } from "../../advice/advise.ts"
import type { Surface } from "../../advice/surface.ts"
import { onlyPersonText } from "../../approval/only-a-person.ts"
import type { ResumePlan } from "../plan-resume.ts"
import { toolAnswerOf, type ToolAnswer } from "../tool-answer.ts"

type Resumption = Exclude<ResumePlan, { readonly kind: "refused" }>

const whatOf = (plan: Resumption): string => {
  switch (plan.kind) {
    case "follow_up":
      return "with a new run, for the new instruction"
    case "input":
      return "with the answer"
    case "decide":
      return `with ${plan.approved.length} approved and ${plan.rejected.length} rejected`
  }
}

/** Returns the answer of `resume_subagent_task` and `resume_task`. */
export const resumedAnswer = (
  taskId: string,
  { runId, plan }: { readonly runId: string; readonly plan: Resumption },
  surface: Surface,
): ToolAnswer => {
  const left = plan.kind === "decide" ? plan.left : []
  if (left.length === 0)
    return toolAnswerOf({
      text: `Task ${taskId} continues ${whatOf(plan)}.`,
      data: { task_id: taskId, run_id: runId, status: "running" },
      next: advise({ about: "result", ids: [taskId] }, surface),
    })
  return toolAnswerOf({
    text: `Task ${taskId} is still paused ${whatOf(plan)}.`,
    data: { task_id: taskId, run_id: runId, status: "paused", protected_pending: [...left] },
    next: `${onlyPersonText(left).replace(/^o/, "O")}.`,
  })
}

/** What a decision on a tree's checkpoint came to. */
export interface DecidedTree {
  readonly runId: string
  /** Calls that only a person can approve. */
  readonly protectedPending: readonly string[]
  /** Calls whose tasks have moved on since. */
  readonly undecided: readonly string[]
}

/** Returns the answer to a decision on what a task's checkpoint showed of its tree. */
export const decidedTreeAnswer = (
  taskId: string,
  { runId, protectedPending, undecided }: DecidedTree,
  surface: Surface,
): ToolAnswer => {
  const isLeft = protectedPending.length > 0 || undecided.length > 0
  return toolAnswerOf({
    text: [
      `The decisions are made; the tasks that they were for continue.`,
      ...(protectedPending.length === 0 ? [] : [`${onlyPersonText(protectedPending).replace(/^o/, "O")}.`]),
      ...(undecided.length === 0
        ? []
        : [`Not decided, because their tasks have moved on since the checkpoint was shown: ${undecided.join(", ")}.`]),
    ].join("\n"),
    data: {
      ...{ task_id: taskId, run_id: runId },
      ...(protectedPending.length === 0 ? {} : { protected_pending: [...protectedPending] }),
      ...(undecided.length === 0 ? {} : { undecided: [...undecided] }),
    },
    next: isLeft ? undefined : advise({ about: "result", ids: [taskId] }, surface),
  })
}

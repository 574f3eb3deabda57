import type { PauseType } from "../../contracts/pause.ts"
import type { Status } from "../../contracts/status.ts"

/** What a caller of `resume_subagent_task` says. */
export interface ResumeRequest {
  readonly approve?: readonly string[]
  readonly reject?: readonly string[]
  readonly approve_all?: boolean
  readonly reject_all?: boolean
  readonly input?: string
}

/** Where the task stands. */
export interface ResumeState {
  readonly status: Status
  readonly pause: { readonly type: PauseType; readonly callIds: readonly string[] } | null
}

export type ResumePlan =
  | { readonly kind: "decide"; readonly approved: readonly string[]; readonly rejected: readonly string[] }
  | { readonly kind: "input"; readonly text: string }
  | { readonly kind: "follow_up"; readonly text: string }
  | { readonly kind: "refused"; readonly code: "VALIDATION_ERROR" | "RESUME_TASK_ERROR"; readonly message: string }

const invalid = (message: string): ResumePlan => ({ kind: "refused", code: "VALIDATION_ERROR", message })
const cannot = (message: string): ResumePlan => ({ kind: "refused", code: "RESUME_TASK_ERROR", message })

const namesDecision = (wish: ResumeRequest): boolean =>
  wish.approve_all === true ||
  wish.reject_all === true ||
  (wish.approve ?? []).length > 0 ||
  (wish.reject ?? []).length > 0

/** What is wrong with the call whatever the task does; undefined where nothing is. */
const contradiction = (wish: ResumeRequest): ResumePlan | undefined => {
  const decides = namesDecision(wish)
  if (decides && wish.input !== undefined)
    return invalid("decisions and input exclude each other: a task waits for one or the other")
  if (!decides && wish.input === undefined)
    return invalid("no decision: name calls in approve or reject, use approve_all or reject_all, or give input")
  if (wish.approve_all === true && wish.reject_all === true)
    return invalid("approve_all and reject_all exclude each other")
  const twice = (wish.approve ?? []).filter((id) => (wish.reject ?? []).includes(id))
  return twice.length === 0 ? undefined : invalid(`both approved and rejected: ${[...new Set(twice)].join(", ")}`)
}

/** `approve_all` less the `reject` ids; then `reject_all`; then the listed ids. Calls that are not named are rejected. */
const approvedOf = (wish: ResumeRequest, callIds: readonly string[]): readonly string[] => {
  if (wish.approve_all === true) return callIds.filter((id) => !(wish.reject ?? []).includes(id))
  if (wish.reject_all === true) return []
  return callIds.filter((id) => (wish.approve ?? []).includes(id))
}

const planDecisions = (wish: ResumeRequest, callIds: readonly string[]): ResumePlan => {
  const unknown = [...(wish.approve ?? []), ...(wish.reject ?? [])].filter((id) => !callIds.includes(id))
  if (unknown.length > 0)
    return invalid(`no such call waits: ${unknown.join(", ")}; pending: ${callIds.join(", ") || "none"}`)
  const approved = approvedOf(wish, callIds)
  return { kind: "decide", approved, rejected: callIds.filter((id) => !approved.includes(id)) }
}

/** What resuming means for a task, or why it cannot be resumed so. */
export const planResume = (wish: ResumeRequest, state: ResumeState): ResumePlan => {
  const wrong = contradiction(wish)
  if (wrong !== undefined) return wrong
  const { pause } = state
  if (state.status === "completed")
    return wish.input === undefined
      ? invalid("the task is completed, nothing waits for a decision: give input to start a new run")
      : { kind: "follow_up", text: wish.input }
  if (state.status !== "paused" || pause === null)
    return cannot(`the task is ${state.status}: only a paused or completed one can be resumed`)
  if (pause.type === "input_required")
    return wish.input === undefined
      ? invalid("the task waits for input, not for decisions: give input")
      : { kind: "input", text: wish.input }
  return wish.input === undefined
    ? planDecisions(wish, pause.callIds)
    : invalid(`the task waits for decisions on its calls, not for input; pending: ${pause.callIds.join(", ")}`)
}

/** `resume_task`, the same through its own shape. Undefined fields and both fields are for `planResume` to refuse. */
export const resumeRequestOf = (input: {
  readonly tool_decisions?: readonly { readonly tool_call_id: string; readonly approved: boolean }[]
  readonly prompt?: string
}): ResumeRequest => {
  const decisions = input.tool_decisions ?? []
  return {
    approve: decisions.filter((each) => each.approved).map((each) => each.tool_call_id),
    reject: decisions.filter((each) => !each.approved).map((each) => each.tool_call_id),
    ...(input.prompt === undefined ? {} : { input: input.prompt }),
  }
}

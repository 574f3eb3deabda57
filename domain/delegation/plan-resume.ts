import { onlyPersonText } from "../approval/only-a-person.ts"
import type { PauseType } from "../../contracts/approval/pause.ts"
import type { Status } from "../../contracts/status.ts"

/** The arguments of `resume_subagent_task`. */
export interface ResumeRequest {
  readonly approve?: readonly string[]
  readonly reject?: readonly string[]
  readonly approve_all?: boolean
  readonly reject_all?: boolean
  readonly input?: string
}

/** The state of the task. */
export interface ResumeState {
  readonly status: Status
  readonly pause: { readonly type: PauseType; readonly calls: readonly ResumableCall[] } | null
}

interface ResumableCall {
  readonly id: string
  /** Whether a model may not approve it. */
  readonly needsPerson?: boolean
}

export type ResumePlan =
  | {
      readonly kind: "decide"
      readonly approved: readonly string[]
      readonly rejected: readonly string[]
      /** Stay pending: only a person can approve them. */
      readonly left: readonly string[]
    }
  | { readonly kind: "input"; readonly text: string }
  | { readonly kind: "follow_up"; readonly text: string }
  | { readonly kind: "refused"; readonly code: "VALIDATION_ERROR" | "RESUME_TASK_ERROR"; readonly message: string }

const invalid = (message: string): Extract<ResumePlan, { readonly kind: "refused" }> => ({
  kind: "refused",
  code: "VALIDATION_ERROR",
  message,
})
const notResumable = (message: string): ResumePlan => ({ kind: "refused", code: "RESUME_TASK_ERROR", message })

const namesDecision = (request: ResumeRequest): boolean =>
  request.approve_all === true ||
  request.reject_all === true ||
  (request.approve ?? []).length > 0 ||
  (request.reject ?? []).length > 0

/** Returns what is wrong with a request in any state of the task; undefined if nothing is. */
export const contradiction = (
  request: ResumeRequest,
): Extract<ResumePlan, { readonly kind: "refused" }> | undefined => {
  const decides = namesDecision(request)
  if (decides && request.input !== undefined)
    return invalid("decisions and input cannot be combined: give the one that the task is waiting for")
  if (!decides && request.input === undefined)
    return invalid("no decision given: list calls in approve or reject, use approve_all or reject_all, or give input")
  if (request.approve_all === true && request.reject_all === true)
    return invalid("approve_all and reject_all cannot be combined")
  const twice = (request.approve ?? []).filter((id) => (request.reject ?? []).includes(id))
  return twice.length === 0 ? undefined : invalid(`both approved and rejected: ${[...new Set(twice)].join(", ")}`)
}

/** Returns the calls that the request approves, whether or not a model may: `approve_all` without the `reject` ids; then `reject_all`; then the listed ids. Unlisted calls are rejected. */
const approvedOf = (request: ResumeRequest, callIds: readonly string[]): readonly string[] => {
  if (request.approve_all === true) return callIds.filter((id) => !(request.reject ?? []).includes(id))
  if (request.reject_all === true) return []
  return callIds.filter((id) => (request.approve ?? []).includes(id))
}

const planDecisions = (request: ResumeRequest, calls: readonly ResumableCall[]): ResumePlan => {
  const ids = calls.map(({ id }) => id)
  const named = [...(request.approve ?? []), ...(request.reject ?? [])]
  const unknown = named.filter((id) => !ids.includes(id))
  if (unknown.length > 0)
    return invalid(`not pending: ${unknown.join(", ")}; pending calls: ${ids.join(", ") || "none"}`)
  const wanted = approvedOf(request, ids)
  const left = calls.flatMap(({ id, needsPerson }) => (needsPerson === true && wanted.includes(id) ? [id] : []))
  if (left.length > 0 && left.length === ids.length) return invalid(onlyPersonText(left))
  const approved = wanted.filter((id) => !left.includes(id))
  return { kind: "decide", approved, rejected: ids.filter((id) => !approved.includes(id) && !left.includes(id)), left }
}

/** Returns what resuming does to a task, or why the request does not fit it. */
export const planResume = (request: ResumeRequest, state: ResumeState): ResumePlan => {
  const wrong = contradiction(request)
  if (wrong !== undefined) return wrong
  const { pause } = state
  if (state.status === "completed")
    return request.input === undefined
      ? invalid("the task is completed and has no pending decision: give input to start a new run")
      : { kind: "follow_up", text: request.input }
  if (state.status !== "paused" || pause === null)
    return notResumable(`the task is ${state.status}: only a paused or completed task can be resumed`)
  if (pause.type === "input_required")
    return request.input === undefined
      ? invalid("the task is waiting for input, not for decisions: give input")
      : { kind: "input", text: request.input }
  return request.input === undefined
    ? planDecisions(request, pause.calls)
    : invalid(
        `the task is waiting for decisions on its calls, not for input; pending calls: ${pause.calls.map(({ id }) => id).join(", ")}`,
      )
}

/** Converts the arguments of `resume_task`. If both fields or neither are given, `planResume` refuses the result. */
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

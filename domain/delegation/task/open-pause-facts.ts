import type { TaskFacts } from "./task-details.ts"

/** An open pause in the tree. */
type OpenTreePause = Omit<NonNullable<TaskFacts["pause"]>, "owner"> & { readonly sessionId: string }

/** Returns what is pending in a task and its descendants: its own pause first; a descendant's calls carry its `task_id` and `checkpoint_id`. */
export const openPauseFacts = (taskId: string, open: readonly OpenTreePause[]): TaskFacts["pause"] => {
  const ordered = [
    ...open.filter((pause) => pause.sessionId === taskId),
    ...open.filter((pause) => pause.sessionId !== taskId),
  ]
  const [first] = ordered
  if (first === undefined) return null
  const calls = ordered.flatMap(({ sessionId, checkpointId, calls: own }) =>
    own.map((call) => (sessionId === taskId ? call : { ...call, task_id: sessionId, checkpoint_id: checkpointId })),
  )
  const type = calls.length > 0 ? "tool_approval_required" : first.type
  const { checkpointId } = first
  const { message } = ordered.find((pause) => pause.calls.length > 0) ?? first
  const asked = ordered.length === 1 ? [] : ordered.filter((pause) => pause.type === "input_required")
  const questions = asked.map((pause) => ({
    ...{ taskId: pause.sessionId, checkpointId: pause.checkpointId, message: pause.message },
  }))
  const owner = { taskId: first.sessionId, type: first.type }
  return { checkpointId, type, message, calls, owner, ...(questions.length === 0 ? {} : { questions }) }
}

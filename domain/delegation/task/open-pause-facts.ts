import type { TaskFacts } from "./task-details.ts"

/** A pause of the tree that nobody has ended. */
type OpenTreePause = NonNullable<TaskFacts["pause"]> & { readonly sessionId: string }

/** What waits for somebody in a task and below it: its own pause first; calls of others carry whose they are. */
export const openPauseFacts = (
  taskId: string,
  below: ReadonlySet<string>,
  open: readonly OpenTreePause[],
): TaskFacts["pause"] => {
  const ordered = [
    ...open.filter((pause) => pause.sessionId === taskId),
    ...open.filter((pause) => below.has(pause.sessionId) && pause.sessionId !== taskId),
  ]
  const [first] = ordered
  if (first === undefined) return null
  const calls = ordered.flatMap(({ sessionId, checkpointId, calls: own }) =>
    own.map((call) => (sessionId === taskId ? call : { ...call, task_id: sessionId, checkpoint_id: checkpointId })),
  )
  const type = calls.length > 0 ? "tool_approval_required" : first.type
  return { checkpointId: first.checkpointId, type, message: first.message, calls }
}

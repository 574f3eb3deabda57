import { sessionsYieldInputSchema } from "../../contracts/delegation/sessions-input.ts"
import { taskIdsOf, waitForTasksInputSchema } from "../../contracts/delegation/tasks-input.ts"
import { isAdjutantError } from "../../contracts/adjutant-error.ts"
import { errorResult, taskNotFound } from "../../domain/delegation/error-result.ts"
import { waitResult } from "../../domain/delegation/task/wait-result.ts"
import { awaitSessions } from "../await-sessions.ts"
import { findTask, openSpawned } from "../find-session.ts"
import { answered, type McpContext, type ToolCall, type ToolReply } from "../mcp-context.ts"
import { invalidArguments, toolOf } from "../parse-arguments.ts"
import { writeRoundState } from "../resume/round-state.ts"

/** Waits for existing sessions and returns their states. */
export const waitAndShow = async (
  context: McpContext,
  call: ToolCall,
  wait: { readonly ids: readonly string[]; readonly timeoutSeconds?: number | undefined },
): Promise<ToolReply> => {
  try {
    const awaited = await awaitSessions(context, call, wait)
    if (awaited.kind === "ask")
      return { kind: "ask", requests: awaited.requests, state: writeRoundState(awaited.state) }
    return answered(
      waitResult(
        awaited.reports.map(({ facts }) => facts),
        awaited.timedOut,
        awaited.notes,
      ),
    )
  } catch (error) {
    if (!isAdjutantError(error)) throw error
    return answered(errorResult("AWAIT_TASKS_ERROR", error.message))
  }
}

export const waitForTasksTool = toolOf(waitForTasksInputSchema, async (context, call, input) => {
  const wanted = taskIdsOf(input)
  if (wanted.length === 0) return answered(invalidArguments("task_ids: name at least one task"))
  const ids: string[] = []
  for (const taskId of wanted) {
    const id = await findTask(context, taskId)
    if (id === undefined) return answered(taskNotFound(taskId))
    ids.push(id)
  }
  return await waitAndShow(context, call, { ids, timeoutSeconds: input.timeout_seconds })
})

/** `sessions_yield`: a caller outside a run has no turn to end, so that it waits for all of its sub-agents. */
export const sessionsYieldTool = toolOf(sessionsYieldInputSchema, async (context, call) =>
  waitAndShow(context, call, { ids: await openSpawned(context) }),
)

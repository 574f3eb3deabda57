import { sessionsYieldInputSchema } from "../../contracts/delegation/sessions-input.ts"
import { taskIdsOf, waitForTasksInputSchema } from "../../contracts/delegation/tasks-input.ts"
import { waitResult } from "../../domain/delegation/task/wait-result.ts"
import type { ToolAnswer } from "../../domain/delegation/tool-answer.ts"
import { defineTool, invalid, requireNamed } from "./define-tool.ts"
import { now, type Reply, type SubAgents } from "./sub-agents.ts"

/** Waits until these sub-agents are final or paused. */
export const waitFor = async <Later>(
  port: SubAgents<Later>,
  wait: { readonly ids: readonly string[]; readonly timeoutSeconds?: number | undefined },
): Promise<Reply<ToolAnswer, Later>> => {
  if (wait.ids.length === 0) return now(waitResult({ tasks: [], timedOut: false }, port.surface))
  const waited = await port.wait(wait)
  return waited.kind === "later" ? waited : now(waitResult(waited.value, port.surface))
}

export const waitForTasks = defineTool(waitForTasksInputSchema, async (port, input) => {
  const names = taskIdsOf(input)
  if (names.length === 0) throw invalid("task_ids: name at least one task")
  const ids: string[] = []
  for (const name of names) ids.push(await requireNamed(port, name, { for: "task" }))
  return waitFor(port, { ids, timeoutSeconds: input.timeout_seconds || undefined })
})

/** Ends the turn until all of the caller's sub-agents are final or paused. */
export const sessionsYield = defineTool(sessionsYieldInputSchema, async (port) =>
  waitFor(port, { ids: await port.open() }),
)

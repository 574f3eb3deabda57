import { sessionsYieldInputSchema } from "../../contracts/delegation/sessions-input.ts"
import { taskIdsOf, waitForTasksInputSchema } from "../../contracts/delegation/tasks-input.ts"
import { waitResult } from "../../domain/delegation/task/wait-result.ts"
import type { ToolAnswer } from "../../domain/delegation/tool-answer.ts"
import { defineDelegationTool, invalid, requireNamedSubAgent } from "./define-tool.ts"
import { replyNow, type Reply, type SubAgents } from "./sub-agents.ts"

/** So many cancelled sub-agents are named where none is at work. */
const mostNamed = 5

/** Names the sub-agents that were cancelled, and by whom: nothing else announces them. */
const cancelledNotes = async <Later>(port: Pick<SubAgents<Later>, "tasks" | "facts">): Promise<readonly string[]> => {
  const cancelled = (await port.tasks(mostNamed)).filter(({ status }) => status === "cancelled")
  const facts = await Promise.all(cancelled.map(({ id }) => port.facts(id)))
  return facts.map(({ id, label, error }) => {
    const name = label === null ? id : `${id} (${JSON.stringify(label)})`
    return `${name}: ${error?.message ?? "the run was cancelled"}.`
  })
}

/** Waits until these sub-agents are final or paused. */
export const waitFor = async <Later>(
  port: SubAgents<Later>,
  wait: { readonly ids: readonly string[]; readonly timeoutSeconds?: number | undefined },
): Promise<Reply<ToolAnswer, Later>> => {
  if (wait.ids.length === 0)
    return replyNow(waitResult({ tasks: [], timedOut: false, notes: await cancelledNotes(port) }, port.surface))
  const waited = await port.wait(wait)
  return waited.kind === "later" ? waited : replyNow(waitResult(waited.value, port.surface))
}

export const waitForTasks = defineDelegationTool(waitForTasksInputSchema, async (port, input) => {
  const names = taskIdsOf(input)
  if (names.length === 0) throw invalid("task_ids: name at least one task")
  const ids: string[] = []
  for (const name of names) ids.push(await requireNamedSubAgent(port, name, { for: "task" }))
  return waitFor(port, { ids, timeoutSeconds: input.timeout_seconds || undefined })
})

/** Ends the turn until all of the caller's sub-agents are final or paused. */
export const sessionsYield = defineDelegationTool(sessionsYieldInputSchema, async (port) =>
  waitFor(port, { ids: await port.open() }),
)

import {
  agentsListInputSchema,
  sessionsHistoryInputSchema,
  sessionsListInputSchema,
} from "../../contracts/delegation/sessions-input.ts"
import { getAllTasksInputSchema, getTaskDetailsInputSchema } from "../../contracts/delegation/tasks-input.ts"
import { historyAnswer } from "../../domain/delegation/answers/history-answer.ts"
import {
  agentsAnswer,
  ownSubAgentsAnswer,
  sessionsAnswer,
  tasksAnswer,
} from "../../domain/delegation/answers/list-answers.ts"
import { taskDetails } from "../../domain/delegation/task/task-details.ts"
import { taskInfo } from "../../domain/delegation/task/task-info.ts"
import { dataNote } from "../../domain/text/foreign/fence-data.ts"
import { sanitiseHistory } from "../../domain/transcript/sanitise-history.ts"
import { changesText, noWorktreeText } from "../../domain/workspace/worktree/worktree-changes.ts"
import { toolAnswerOf, type ToolAnswer } from "../../domain/delegation/tool-answer.ts"
import { withoutUndefined } from "../../domain/without-undefined.ts"
import { defineAnswering, invalid, requireNamedSubAgent } from "./define-tool.ts"
import type { SubAgents } from "./sub-agents.ts"

const mostTasks = 200
const defaultListed = 50

export const getTaskDetails = defineAnswering(getTaskDetailsInputSchema, async (port, input) => {
  const { task_id: taskId, checkpoint_id: checkpointId } = input
  const id = await requireNamedSubAgent(port, taskId, { for: "task", checkpointId })
  return taskDetails(await port.facts(id), port.surface)
})

export const getAllTasks = defineAnswering(getAllTasksInputSchema, async (port) => {
  const rows = await port.tasks(mostTasks + 1)
  return tasksAnswer(rows.slice(0, mostTasks), rows.length > mostTasks)
})

export const sessionsList = defineAnswering(sessionsListInputSchema, async (port, input) => {
  const { parent, limit = defaultListed, status, archived } = input
  const parentId = parent === undefined ? undefined : await requireNamedSubAgent(port, parent, { for: "listing" })
  const page = await port.list({ limit, status, archived, parentId })
  return sessionsAnswer(page.sessions, page)
})

/** Returns the sub-agents that the caller started itself: what `subagents` shows. */
export const listOwn = async <Later>(port: SubAgents<Later>): Promise<ToolAnswer> => {
  const { sessions, isCut } = await port.own()
  return ownSubAgentsAnswer(sessions, isCut, port.surface)
}

/** Returns everything about a session: what `subagents` shows. */
export const showInfo = async <Later>(port: SubAgents<Later>, id: string): Promise<ToolAnswer> =>
  taskInfo(await port.facts(id), await port.detail(id), port.surface)

/** Returns what a session changed in its worktree. */
export const showDiff = async <Later>(port: SubAgents<Later>, id: string): Promise<ToolAnswer> => {
  const { worktree } = await port.facts(id)
  if (worktree === undefined) throw invalid(`target: ${noWorktreeText(id)}`)
  return toolAnswerOf({
    text: changesText(worktree, id),
    data: { session_id: id, worktree },
    next: dataNote,
  })
}

/** Returns the transcript of a session, cut and cleaned: what `sessions_history` and `subagents` show. */
export const showHistory = async <Later>(
  port: SubAgents<Later>,
  id: string,
  options: { readonly limit?: number | undefined; readonly includeTools?: boolean | undefined },
): Promise<ToolAnswer> => {
  const { limit, includeTools } = options
  return historyAnswer(id, sanitiseHistory(await port.history(id), withoutUndefined({ limit, includeTools })))
}

export const sessionsHistory = defineAnswering(sessionsHistoryInputSchema, async (port, { sessionKey, ...options }) =>
  showHistory(port, await requireNamedSubAgent(port, sessionKey, { for: "reading" }), options),
)

export const agentsList = defineAnswering(agentsListInputSchema, async (port, { agentId }) => {
  const allowed = await port.profiles()
  if (agentId === undefined) return agentsAnswer(allowed)
  const found = allowed.find(({ id }) => id === agentId)
  if (found === undefined) throw invalid(`agentId: must be one of ${allowed.map(({ id }) => id).join(", ")}`)
  return agentsAnswer([{ ...found, profile: await port.profile(agentId) }])
})

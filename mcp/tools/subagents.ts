import { subagentsInputSchema, type SubagentsInput } from "../../contracts/delegation/sessions-input.ts"
import { assertNever } from "../../domain/assert-never.ts"
import { taskNotFound } from "../../domain/delegation/error-result.ts"
import { changesText } from "../../domain/delegation/text/worktree-changes.ts"
import { taskInfo } from "../../domain/delegation/task/task-info.ts"
import type { ToolAnswer } from "../../domain/delegation/tool-answer.ts"
import { orError } from "../answers/error-answer.ts"
import { findSession, openSpawned, withSession } from "../find-session.ts"
import { answered, type McpContext, type ToolCall, type ToolReply } from "../mcp-context.ts"
import { invalidArguments, toolOf } from "../parse-arguments.ts"
import { sessionsTable } from "../answers/sessions-table.ts"
import { sendToSession, showHistory } from "./sessions.ts"
import { waitAndShow } from "./wait-for-tasks.ts"

const mostListed = 200

const list = async ({ client, caller }: McpContext): Promise<ToolAnswer> => {
  const all = await client.spawned(caller)
  const sessions = all.slice(-mostListed)
  const omitted = all.length - sessions.length
  const note = omitted === 0 ? "" : `\n\nOnly the newest ${mostListed} are shown.`
  return {
    text:
      sessions.length === 0
        ? "You have no sub-agents here. sessions_list shows every session that you reach."
        : sessionsTable(sessions) + note,
    structured: { sessions },
    isError: false,
  }
}

const kill = async ({ client }: McpContext, call: ToolCall, ids: readonly string[]): Promise<ToolAnswer> =>
  await orError("CANCEL_TASK_ERROR", async () => {
    const killed = await Promise.all(
      ids.map(async (id) => ({ session_id: id, status: (await client.cancel(id, call.actor)).status })),
    )
    const text = killed.map((each) => `${each.session_id}: ${each.status}`).join("\n")
    return { text: text === "" ? "Nothing was running." : text, structured: { killed }, isError: false }
  })

/** Returns the sessions that a target names. `all` or no target means this caller's own sub-agents, never those of other callers. */
const targetsOf = async (context: McpContext, target: string | undefined): Promise<readonly string[] | undefined> => {
  if (target === undefined || target === "all") return await openSpawned(context)
  const id = await findSession(context, target)
  return id === undefined ? undefined : [id]
}

const showInfo = async ({ client }: McpContext, id: string): Promise<ToolAnswer> => {
  const session = await client.info(id)
  return taskInfo((await client.report(id)).facts, session)
}

const showDiff = async ({ client }: McpContext, id: string): Promise<ToolAnswer> => {
  const { worktree } = await client.info(id)
  return worktree === undefined
    ? invalidArguments(`target: ${id} has no worktree, so there is no diff`)
    : { text: changesText(worktree, id), structured: { worktree }, isError: false }
}

const onOne = async (context: McpContext, call: ToolCall, input: SubagentsInput): Promise<ToolAnswer> => {
  const { action, target, message } = input
  if (target === undefined || target === "all")
    return invalidArguments(`target: ${action} needs one sub-agent: an id, a label, a session key or #n`)
  return await withSession(context, target, async (id) => {
    if (action === "info") return await showInfo(context, id)
    if (action === "diff") return await showDiff(context, id)
    if (action === "log") return await showHistory(context, id, input)
    if (message === undefined) return invalidArguments(`message: ${action} needs a text`)
    const type = action === "steer" ? "steering" : "follow_up"
    return await sendToSession(context, call, { sessionId: id, text: message, type })
  })
}

const onMany = async (context: McpContext, call: ToolCall, input: SubagentsInput): Promise<ToolReply> => {
  const { action, target, timeoutSeconds } = input
  if (action === "kill" && target === undefined)
    return answered(invalidArguments("target: kill needs a sub-agent, or all for all of your sub-agents"))
  const ids = await targetsOf(context, target)
  if (ids === undefined) return answered(taskNotFound(target ?? ""))
  if (action === "kill") return answered(await kill(context, call, ids))
  return await waitAndShow(context, call, { ids, timeoutSeconds })
}

/** `subagents`: manages the sub-agents that this caller started. */
export const subagentsTool = toolOf(subagentsInputSchema, async (context, call, input) => {
  switch (input.action) {
    case "list":
      return answered(await list(context))
    case "info":
    case "log":
    case "diff":
    case "send":
    case "steer":
      return answered(await onOne(context, call, input))
    case "kill":
    case "wait":
      return await onMany(context, call, input)
    default:
      return assertNever(input.action)
  }
})

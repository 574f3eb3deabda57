import {
  agentsListInputSchema,
  sessionsHistoryInputSchema,
  sessionsListInputSchema,
  sessionsSendInputSchema,
} from "../../contracts/delegation/sessions-input.ts"
import { findProfile, profileNames } from "../../domain/prompts/builtin-profiles.ts"
import { taskNotFound } from "../../domain/delegation/error-result.ts"
import { type HistoryRow, sanitiseHistory } from "../../domain/delegation/text/sanitise-history.ts"
import { allowedAgents } from "../../domain/delegation/spawn-refusals.ts"
import type { ToolAnswer } from "../../domain/delegation/tool-answer.ts"
import { orError } from "../answers/error-answer.ts"
import { findSession } from "../find-session.ts"
import { historyRow } from "../../domain/transcript/history-row.ts"
import { answered, type McpContext, type ToolHandler } from "../mcp-context.ts"
import { invalidArguments, parseArguments } from "../parse-arguments.ts"
import { sessionsTable } from "../answers/sessions-table.ts"

/** A caller from outside counts as the profile that a run has by default. */
const callerAgent = "general"
const defaultListLimit = 50

export const agentsListTool: ToolHandler = async ({ loaded }, call) => {
  const parsed = parseArguments(agentsListInputSchema, call.args)
  if (!parsed.ok) return answered(invalidArguments(parsed.problem))
  const { agents, subagents } = loaded.config
  const allowed = allowedAgents(subagents.allowAgents, callerAgent, profileNames(agents)).map((id) => {
    const profile = findProfile(id, agents)
    return { id, type: profile?.type ?? "llm", description: profile?.description ?? null }
  })
  return answered({
    text: allowed.map(({ id, description }) => `- ${id}${description === null ? "" : `: ${description}`}`).join("\n"),
    structured: { agents: allowed },
    isError: false,
  })
}

export const sessionsListTool: ToolHandler = async (context, call) => {
  const parsed = parseArguments(sessionsListInputSchema, call.args)
  if (!parsed.ok) return answered(invalidArguments(parsed.problem))
  const { status, parent: wanted, limit = defaultListLimit } = parsed.value
  const parent = wanted === undefined ? undefined : await findSession(context, wanted)
  if (wanted !== undefined && parent === undefined) return answered(taskNotFound(wanted))
  const page = await context.client.list({
    limit,
    ...(status === undefined ? {} : { status }),
    ...(parent === undefined ? {} : { parent }),
  })
  return answered({
    text: sessionsTable(page.items),
    structured: { sessions: page.items, next_cursor: page.next_cursor },
    isError: false,
  })
}

/** The rows as one text for a model. */
const historyText = (rows: readonly HistoryRow[], omitted: number): string => {
  const shown = rows.map((row) => {
    const who = row.tool === undefined ? row.role : `${row.role} ${row.tool}`
    const calls = (row.calls ?? []).map((call) => `\n  calls ${call.name} ${call.arguments}`).join("")
    return `[${row.seq}] ${who}: ${row.text}${calls}`
  })
  const note = omitted === 0 ? [] : [`(${omitted} older or empty rows left out)`]
  return shown.length === 0 ? "Nothing was said yet." : [...note, ...shown].join("\n\n")
}

/** What was said in a session, cut and cleaned. */
export const showHistory = async (
  { client }: McpContext,
  id: string,
  options: { readonly limit?: number; readonly includeTools?: boolean },
): Promise<ToolAnswer> => {
  const { rows, omitted } = sanitiseHistory((await client.messages(id)).map(historyRow), options)
  return { text: historyText(rows, omitted), structured: { session_id: id, rows, omitted }, isError: false }
}

export const sessionsHistoryTool: ToolHandler = async (context, call) => {
  const parsed = parseArguments(sessionsHistoryInputSchema, call.args)
  if (!parsed.ok) return answered(invalidArguments(parsed.problem))
  const { sessionKey, limit, includeTools } = parsed.value
  const id = await findSession(context, sessionKey)
  if (id === undefined) return answered(taskNotFound(sessionKey))
  return answered(
    await showHistory(context, id, {
      ...(limit === undefined ? {} : { limit }),
      ...(includeTools === undefined ? {} : { includeTools }),
    }),
  )
}

export const sessionsSendTool: ToolHandler = async (context, call) => {
  const parsed = parseArguments(sessionsSendInputSchema, call.args)
  if (!parsed.ok) return answered(invalidArguments(parsed.problem))
  const { sessionKey, message } = parsed.value
  const id = await findSession(context, sessionKey)
  if (id === undefined) return answered(taskNotFound(sessionKey))
  return answered(
    await orError("RESUME_TASK_ERROR", async () => {
      const sent = await context.client.send({ sessionId: id, text: message, type: "follow_up", actor: call.actor })
      return {
        text: `Sent to ${id}: it is taken up when the present run ends, or at once where none runs.`,
        structured: { session_id: id, run_id: sent.runId, state: sent.state },
        isError: false,
      }
    }),
  )
}

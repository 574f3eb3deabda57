import type { SendRequest } from "../../sessions/messages/send-request.ts"
import {
  agentsListInputSchema,
  sessionsHistoryInputSchema,
  sessionsListInputSchema,
  sessionsSendInputSchema,
} from "../../contracts/delegation/sessions-input.ts"
import { outsideCallerAgent, outsideSubagents } from "../../domain/prompts/builtin-profiles.ts"
import { errorResult, taskNotFound } from "../../domain/delegation/error-result.ts"
import { type HistoryRow, sanitiseHistory } from "../../domain/delegation/text/sanitise-history.ts"
import { allowedAgents } from "../../domain/delegation/spawn-refusals.ts"
import { sentText } from "../../domain/delegation/sent-text.ts"
import type { ToolAnswer } from "../../domain/delegation/tool-answer.ts"
import { orError } from "../answers/error-answer.ts"
import { findSession, reachable, withSession } from "../find-session.ts"
import { historyRow } from "../../domain/transcript/history-row.ts"
import type { McpContext, ToolCall } from "../mcp-context.ts"
import { withoutUndefined } from "../../domain/without-undefined.ts"
import { answeringTool } from "../parse-arguments.ts"
import { sessionsTable } from "../answers/sessions-table.ts"

const defaultListLimit = 50

/** Returns one profile with its settings. */
const oneAgent = async (id: string, { client }: McpContext): Promise<ToolAnswer> => {
  const { type, description, profile } = await client.profiles.read(id)
  return {
    text: `- ${id}${description === null ? "" : `: ${description}`}\n\n${JSON.stringify(profile, null, 2)}`,
    structured: { agents: [{ id, type, description, profile }] },
    isError: false,
  }
}

export const agentsListTool = answeringTool(agentsListInputSchema, async (context, _call, { agentId }) => {
  const { agents, subagents } = context.loaded.config
  const profiles = await context.client.profiles.list()
  const { allowAgents } = outsideSubagents(subagents, agents)
  const names = allowedAgents(
    allowAgents,
    outsideCallerAgent,
    profiles.map(({ id }) => id),
  )
  if (agentId !== undefined && !names.includes(agentId))
    return errorResult("VALIDATION_ERROR", `agentId: must be one of ${names.join(", ")}`)
  if (agentId !== undefined) return oneAgent(agentId, context)
  const allowed = profiles
    .filter(({ id }) => names.includes(id))
    .map(({ id, type, description }) => ({ id, type, description }))
  return {
    text: allowed.map(({ id, description }) => `- ${id}${description === null ? "" : `: ${description}`}`).join("\n"),
    structured: { agents: allowed },
    isError: false,
  }
})

export const sessionsListTool = answeringTool(sessionsListInputSchema, async (context, _call, input) => {
  const { status, parent: wanted, limit = defaultListLimit, archived } = input
  const parent = wanted === undefined ? undefined : await findSession(context, wanted)
  if (wanted !== undefined && parent === undefined) return taskNotFound(wanted)
  const page = await context.client.list({
    limit,
    ...withoutUndefined({ status, parent, archived }),
    ...(parent === undefined ? reachable(context) : {}),
  })
  return {
    text: sessionsTable(page.items),
    structured: { sessions: page.items, next_cursor: page.next_cursor },
    isError: false,
  }
})

/** Returns the rows as one text for a model. */
const historyText = (rows: readonly HistoryRow[], omitted: number): string => {
  const shown = rows.map((row) => {
    const who = row.tool === undefined ? row.role : `${row.role} ${row.tool}`
    const calls = (row.calls ?? []).map((call) => `\n  calls ${call.name} ${call.arguments}`).join("")
    return `[${row.seq}] ${who}: ${row.text}${calls}`
  })
  const note = omitted === 0 ? [] : [`(${omitted} older or empty rows left out)`]
  return shown.length === 0 ? "The transcript is empty." : [...note, ...shown].join("\n\n")
}

/** Returns the transcript of a session, cut and cleaned. */
export const showHistory = async (
  { client }: McpContext,
  id: string,
  { limit, includeTools }: { readonly limit?: number | undefined; readonly includeTools?: boolean | undefined },
): Promise<ToolAnswer> => {
  const messages = (await client.messages(id)).map(historyRow)
  const { rows, omitted } = sanitiseHistory(messages, withoutUndefined({ limit, includeTools }))
  return { text: historyText(rows, omitted), structured: { session_id: id, rows, omitted }, isError: false }
}

export const sessionsHistoryTool = answeringTool(sessionsHistoryInputSchema, (context, _call, input) =>
  withSession(context, input.sessionKey, (id) => showHistory(context, id, input)),
)

/** Sends a text to a session, and returns what that did. */
export const sendToSession = (
  { client }: McpContext,
  { actor }: ToolCall,
  message: Pick<SendRequest, "sessionId" | "text" | "type">,
): Promise<ToolAnswer> =>
  orError("RESUME_TASK_ERROR", async () => {
    const sent = await client.send({ ...message, actor })
    const { runId, state, effect = message.type === "steering" ? "steered" : "queued" } = sent
    const structured = { session_id: message.sessionId, run_id: runId, state, effect }
    return { text: sentText(message.sessionId, runId, effect), structured, isError: false }
  })

export const sessionsSendTool = answeringTool(sessionsSendInputSchema, (context, call, { sessionKey, message }) =>
  withSession(context, sessionKey, (id) =>
    sendToSession(context, call, { sessionId: id, text: message, type: "follow_up" }),
  ),
)

import {
  agentsListInputSchema,
  sessionsHistoryInputSchema,
  sessionsListInputSchema,
} from "../../contracts/delegation/sessions-input.ts"
import { getTaskDetailsInputSchema } from "../../contracts/delegation/tasks-input.ts"
import { findProfile, profileNames } from "../../domain/prompts/builtin-profiles.ts"
import { describeAgent } from "../../domain/prompts/describe-agents.ts"
import { redactTexts } from "../../domain/text/redact.ts"
import { DelegationRefusal } from "../../domain/delegation/delegation-refusal.ts"
import { taskNotFound } from "../../domain/delegation/error-result.ts"
import { type HistoryRow, sanitiseHistory } from "../../domain/delegation/text/sanitise-history.ts"
import { allowedAgents } from "../../domain/delegation/spawn-refusals.ts"
import { taskDetails } from "../../domain/delegation/task/task-details.ts"
import { changesText, noWorktreeText } from "../../domain/delegation/text/worktree-changes.ts"
import { taskInfo } from "../../domain/delegation/task/task-info.ts"
import { numberedTaskTable, type TaskRow, taskTable } from "../../domain/delegation/task/task-table.ts"
import { noTemporalUrl } from "../../domain/engine/temporal-url.ts"
import { historyRow } from "../../domain/transcript/history-row.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import { worktreeView } from "../../sessions/worktree/worktree-view.ts"
import { sessionDetail } from "../../sessions/view/session-detail.ts"
import type { SessionRow, Store } from "../../store/store.ts"
import { taskFactsOf, taskRowOf } from "./child-facts.ts"
import {
  argumentsOf,
  type DelegationCall,
  type DelegationHandler,
  findChild,
  type ImmediateAnswer,
  requireDescendant,
  descendantRows,
} from "./delegation-call.ts"

const childRows = async ({ deps, input }: DelegationCall): Promise<readonly SessionRow[]> => {
  const rows = await Promise.all(input.children.map(({ id }) => deps.store.sessions.get(id)))
  return rows.filter((row) => row !== undefined)
}

const rowsOf = (store: Pick<Store, "runs">, rows: readonly SessionRow[]): Promise<readonly TaskRow[]> =>
  Promise.all(rows.map((row) => taskRowOf(store, row)))

/** Returns the table of sessions below the caller. Only its own sub-agents have a number by which it can name them. */
const numberedTable = async ({ deps, session }: DelegationCall, rows: readonly SessionRow[]): Promise<string> => {
  const shown = await rowsOf(deps.store, rows)
  return numberedTaskTable(
    shown.map((row, index) => ({
      ...row,
      number: rows[index]?.parentId === session.id ? (rows[index]?.number ?? null) : null,
    })),
  )
}

const childDetails = async ({ deps }: DelegationCall, row: SessionRow): Promise<ImmediateAnswer> => ({
  content: taskDetails(await taskFactsOf(deps.store, row)).text,
  reported: isFinal(row.status) ? [row.id] : [],
})

/** Returns everything about a child: what `subagents` shows. */
export const childInfo = async ({ deps }: DelegationCall, row: SessionRow): Promise<ImmediateAnswer> => {
  const session = await sessionDetail({ store: deps.store, temporalUrl: noTemporalUrl }, row)
  return {
    content: taskInfo(await taskFactsOf(deps.store, row), session).text,
    reported: isFinal(row.status) ? [row.id] : [],
  }
}

/** Returns what a child changed in its worktree. */
export const childDiff = async ({ deps }: DelegationCall, row: SessionRow): Promise<ImmediateAnswer> => {
  const worktree = await deps.store.worktrees.get(row.id)
  if (worktree === undefined) throw new DelegationRefusal("VALIDATION_ERROR", noWorktreeText(row.id))
  return { content: changesText(worktreeView(worktree), row.id) }
}

export const getTaskDetails: DelegationHandler = async (delegation) => {
  const { task_id } = argumentsOf(getTaskDetailsInputSchema, delegation)
  const found = await findChild(delegation, task_id)
  return found === undefined ? { content: taskNotFound(task_id).text, isError: true } : childDetails(delegation, found)
}

export const getAllTasks: DelegationHandler = async (delegation) => ({
  content: taskTable(await rowsOf(delegation.deps.store, await childRows(delegation))),
})

/** Lists the caller's own sub-agents with their numbers: what `subagents` shows. */
export const listChildren: DelegationHandler = async (delegation) => {
  const rows = (await descendantRows(delegation)).filter(({ parentId }) => parentId === delegation.session.id)
  return { content: await numberedTable(delegation, rows) }
}

/** Lists the sessions below the caller at any depth, never a session of another tree. */
export const sessionsList: DelegationHandler = async (delegation) => {
  const { status, parent, limit = 50, archived = false } = argumentsOf(sessionsListInputSchema, delegation)
  const below = await descendantRows(delegation)
  const parentId = parent === undefined ? undefined : await parentOf(delegation, parent)
  const wanted = below.filter(
    (row) =>
      (status === undefined || row.status === status) &&
      (parentId === undefined || row.parentId === parentId) &&
      (row.archivedAt !== null) === archived,
  )
  return { content: await numberedTable(delegation, wanted.slice(-limit)) }
}

/** Returns the id of the session whose sub-agents are listed: the caller itself, or one below it. */
const parentOf = async (delegation: DelegationCall, target: string): Promise<string> => {
  const { id, sessionKey } = delegation.session
  return target === id || target === sessionKey ? id : (await requireDescendant(delegation, target)).id
}

export const agentsList: DelegationHandler = async (delegation) => {
  const { snapshot, deps } = delegation
  const { agentId } = argumentsOf(agentsListInputSchema, delegation)
  const names = allowedAgents(snapshot.subagents.allowAgents, snapshot.agent, profileNames(snapshot.agents))
  if (agentId !== undefined && !names.includes(agentId))
    throw new DelegationRefusal("VALIDATION_ERROR", `agentId: must be one of ${names.join(", ")}`)
  const found = agentId === undefined ? undefined : describeAgent(agentId, snapshot.agents, [])
  if (found !== undefined) return { content: JSON.stringify(redactTexts(found.profile, deps.redact), null, 2) }
  const lines = names.map((name) => `- ${name}: ${findProfile(name, snapshot.agents)?.description ?? "no description"}`)
  return { content: lines.length === 0 ? "No profile may be spawned here." : lines.join("\n") }
}

const rowText = (row: HistoryRow): string => {
  const calls = (row.calls ?? []).map((call) => `\n→ ${call.name} ${call.arguments}`).join("")
  return `[${row.seq}] ${row.tool ?? row.source ?? row.role}: ${row.text}${calls}`
}

/** Returns a child's transcript, sanitised and limited in size; shared by `sessions_history` and `subagents log`. */
export const historyOf = async (
  { deps }: DelegationCall,
  row: SessionRow,
  options: { readonly limit?: number; readonly includeTools?: boolean },
): Promise<ImmediateAnswer> => {
  const rows = await deps.store.messages.read(row.id, { headSeq: row.headSeq })
  const clean = sanitiseHistory(rows.map(historyRow), options)
  const omitted = clean.omitted > 0 ? [`(${clean.omitted} rows left out)`] : []
  return { content: [...omitted, ...clean.rows.map(rowText)].join("\n\n") || "Nothing was said yet." }
}

export const sessionsHistory: DelegationHandler = async (delegation) => {
  const { sessionKey, ...options } = argumentsOf(sessionsHistoryInputSchema, delegation)
  return historyOf(delegation, await requireDescendant(delegation, sessionKey), options)
}

import type { Session } from "../../../contracts/session/session.ts"
import { advise } from "../../advice/advise.ts"
import type { Surface } from "../../advice/surface.ts"
import { boundTexts } from "../task/bound-text.ts"
import { numberedTaskTable, type TaskRow, taskTable } from "../task/task-table.ts"
import { toolAnswerOf, type ToolAnswer } from "../tool-answer.ts"

const maxListed = 2_000

const newestOnly = (shown: number, isCut: boolean): string | undefined =>
  isCut ? `Only the newest ${shown} are shown.` : undefined

/** Returns the answer of `get_all_tasks`. */
export const tasksAnswer = (rows: readonly TaskRow[], isCut: boolean): ToolAnswer =>
  toolAnswerOf({
    text: taskTable(rows),
    data: {
      tasks: rows.map((row) => ({
        task_id: row.id,
        status: row.status,
        description: row.description,
        started_at: row.startedAt,
        duration_ms: row.durationMs,
        steps_taken: row.stepsTaken,
      })),
    },
    next: newestOnly(rows.length, isCut),
  })

/** A session in a list. */
export interface Listed {
  readonly session: Session
  readonly row: TaskRow
}

/** Returns a session as a list shows it: without its answer and the arguments of its calls, which a look at the session shows. */
const listedData = ({ session }: Listed): unknown => {
  const { final_message: _answer, pause_reason: reason, ...rest } = session
  return boundTexts({ ...rest, pause_reason: reason === null ? null : { type: reason.type } }, maxListed)
}

const withAgent = ({ session: { agent, title }, row }: Listed): TaskRow => ({
  ...row,
  description: title === null ? agent : `${agent}: ${title}`,
})

/** Returns the answer of `sessions_list`. `cursor`: of the sessions that are left out; null if none are. */
export const sessionsAnswer = (
  sessions: readonly Listed[],
  { isCut, cursor }: { readonly isCut: boolean; readonly cursor: string | null },
): ToolAnswer =>
  toolAnswerOf({
    text: numberedTaskTable(sessions.map(withAgent)),
    data: { sessions: sessions.map(listedData), next_cursor: cursor },
    next: newestOnly(sessions.length, isCut),
  })

/** Returns the answer of `subagents {action: "list"}`. */
export const ownSubAgentsAnswer = (sessions: readonly Listed[], isCut: boolean, surface: Surface): ToolAnswer =>
  toolAnswerOf({
    text: sessions.length === 0 ? "There are no sub-agents." : numberedTaskTable(sessions.map(withAgent)),
    data: { sessions: sessions.map(listedData) },
    next: sessions.length === 0 ? advise({ about: "none" }, surface) : newestOnly(sessions.length, isCut),
  })

/** A profile that can be spawned; with its settings if it is the only one that was asked for. */
export interface SpawnableAgent {
  readonly id: string
  readonly type: string
  readonly description: string | null
  readonly profile?: unknown
}

const agentText = ({ id, description, profile }: SpawnableAgent): string =>
  [
    `- ${id}${description === null ? "" : `: ${description}`}`,
    ...(profile === undefined ? [] : [JSON.stringify(profile, null, 2)]),
  ].join("\n\n")

/** Returns the answer of `agents_list`. */
export const agentsAnswer = (agents: readonly SpawnableAgent[]): ToolAnswer =>
  toolAnswerOf({
    text: agents.length === 0 ? "No profile may be spawned here." : agents.map(agentText).join("\n"),
    data: { agents },
  })

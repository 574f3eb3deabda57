import type { TaskFacts } from "../../domain/delegation/task/task-details.ts"
import type { TaskRow } from "../../domain/delegation/task/task-table.ts"
import { type ToolUse, toolUseOf } from "../../domain/delegation/task/tool-use.ts"
import { toUsage } from "../../domain/limits/usage-totals.ts"
import type { SessionRow } from "../../store/store.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { inspectSession } from "../reconcile/inspect-session.ts"
import type { ListFilter } from "./list-sessions.ts"
import { readLastText } from "../outcome/read-last-text.ts"
import { requireSession } from "./require-session.ts"
import { commandOutput, pauseFactsOf, taskFactsFrom, taskRowFrom } from "./task-facts.ts"

/** The facts about a task, with the data that only the answer of a `Task` call needs. */
export interface TaskReport extends ToolUse, Pick<SessionRow, "internal" | "cwd" | "createdAt" | "updatedAt"> {
  readonly facts: TaskFacts
}

/**
 * Returns the details of a task, after asking the engine.
 * @throws AdjutantError `session_not_found`
 */
export const taskReport = async (context: SessionsContext, sessionId: string): Promise<TaskReport> => {
  const { store } = context
  const { row } = await inspectSession(context, await requireSession(store, sessionId))
  const run = row.runId === null ? undefined : await store.runs.get(row.runId)
  const stored = (run ?? row).finalMessage
  const written =
    stored ??
    (row.runId === null ? "" : await readLastText(store, { sessionId: row.id, runId: row.runId, headSeq: row.headSeq }))
  return {
    facts: taskFactsFrom(row, run, {
      runId: row.runId,
      result: written === "" ? await commandOutput(store, row) : written,
      error: run?.error ?? row.error,
      pause: await pauseFactsOf(store, row),
      usage: toUsage(
        await store.usage.total({ sessionId: row.id, ...(row.runId === null ? {} : { runId: row.runId }) }),
      ),
    }),
    ...toolUseOf(await store.messages.read(row.id, { headSeq: row.headSeq }), row.runId),
    internal: row.internal,
    cwd: row.cwd,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }
}

/** Returns the newest tasks, one row each, without asking the engine. */
export const listTaskRows = async (
  { store }: SessionsContext,
  filter: Pick<ListFilter, "caller"> & { readonly limit: number },
): Promise<readonly TaskRow[]> => {
  const { items } = await store.sessions.list(filter)
  const rows = items.filter((row) => row.deletedAt === null)
  return await Promise.all(
    rows.map(async (row) => {
      const run = row.runId === null ? undefined : await store.runs.get(row.runId)
      return { ...taskRowFrom(row, run), description: row.title ?? row.label }
    }),
  )
}

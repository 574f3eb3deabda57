import type { TaskFacts } from "../domain/delegation/task-details.ts"
import type { TaskRow } from "../domain/delegation/task-table.ts"
import { isFinal } from "../domain/is-final.ts"
import { toUsage } from "../domain/usage-totals.ts"
import type { PauseRow, RunRow, SessionRow, Store } from "../store/store.ts"
import type { ClientContext } from "./client-context.ts"
import { lastText } from "./last-text.ts"
import { refreshSession } from "./refresh-session.ts"
import { requireSession } from "./require-session.ts"
import { descendantsOf } from "./session-tree.ts"

/** What is known of a task, with what only its answer as a `Task` call needs. */
export interface TaskReport {
  readonly facts: TaskFacts
  /** Calls of the latest run by tool, in the order of their first use. */
  readonly toolCounts: Readonly<Record<string, number>>
  /** Text of the latest run's last tool result. */
  readonly lastToolText: string | null
  readonly metadata: Readonly<Record<string, unknown>>
  readonly cwd: string
  readonly createdAt: string
  readonly updatedAt: string
}

const durationMs = (run: RunRow | undefined): number | null => {
  if (run?.startedAt == null) return null
  const end = run.finishedAt === null ? Date.now() : Date.parse(run.finishedAt)
  return Math.max(0, end - Date.parse(run.startedAt))
}

/** Its own pause first, then those below it, whose calls carry whose they are. */
const pauseOf = async (store: Store, row: SessionRow): Promise<TaskFacts["pause"]> => {
  if (isFinal(row.status)) return null
  const ids = new Set([row.id, ...(await descendantsOf(store, row)).map(({ id }) => id)])
  const open = (await store.pauses.listOpen({ rootId: row.rootId })).filter((pause) => ids.has(pause.sessionId))
  const ordered: readonly PauseRow[] = [
    ...open.filter((pause) => pause.sessionId === row.id),
    ...open.filter((pause) => pause.sessionId !== row.id),
  ]
  const [first] = ordered
  if (first === undefined) return null
  const calls = ordered.flatMap(({ sessionId, checkpointId, calls: own }) =>
    own.map((call) => (sessionId === row.id ? call : { ...call, task_id: sessionId, checkpoint_id: checkpointId })),
  )
  const type = calls.length > 0 ? "tool_approval_required" : first.type
  return { checkpointId: first.checkpointId, type, message: first.message, calls }
}

const toolUse = async (store: Store, row: SessionRow, runId: string | null) => {
  const counts: Record<string, number> = {}
  let lastToolText: string | null = null
  for (const { message, runId: owner } of await store.messages.read(row.id, { headSeq: row.headSeq })) {
    if (message.role !== "tool" || owner !== runId) continue
    counts[message.name] = (counts[message.name] ?? 0) + 1
    lastToolText = message.content
  }
  return { toolCounts: counts, lastToolText }
}

/**
 * All that the details of a task tell, after asking the engine.
 * @throws AdjutantError `session_not_found`
 */
export const taskReport = async (context: ClientContext, sessionId: string): Promise<TaskReport> => {
  const { store } = context
  const row = await refreshSession(context, await requireSession(store, sessionId))
  const run = row.runId === null ? undefined : await store.runs.get(row.runId)
  const stored = (run ?? row).finalMessage
  const written = stored ?? (row.runId === null ? "" : await lastText(store, row, row.runId))
  return {
    facts: {
      id: row.id,
      sessionKey: row.sessionKey,
      description: row.title,
      label: row.label,
      agent: row.agent,
      model: row.model,
      status: row.status,
      stopReason: row.stopReason,
      runId: row.runId,
      result: written === "" ? null : written,
      error: (run ?? row).error,
      pause: await pauseOf(store, row),
      stepsTaken: (run ?? row).stepsTaken,
      usage: toUsage(
        await store.usage.total({ sessionId: row.id, ...(row.runId === null ? {} : { runId: row.runId }) }),
      ),
      startedAt: run?.startedAt ?? row.createdAt,
      durationMs: durationMs(run),
    },
    ...(await toolUse(store, row, row.runId)),
    metadata: row.metadata,
    cwd: row.cwd,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }
}

/** The newest tasks, one line each, from rows alone. */
export const listTaskRows = async ({ store }: ClientContext, limit: number): Promise<readonly TaskRow[]> => {
  const { items } = await store.sessions.list({ limit })
  const rows = items.filter((row) => row.deletedAt === null)
  return await Promise.all(
    rows.map(async (row) => {
      const run = row.runId === null ? undefined : await store.runs.get(row.runId)
      return {
        id: row.id,
        status: row.status,
        description: row.title ?? row.label,
        startedAt: run?.startedAt ?? row.createdAt,
        durationMs: durationMs(run),
        stepsTaken: (run ?? row).stepsTaken,
      }
    }),
  )
}

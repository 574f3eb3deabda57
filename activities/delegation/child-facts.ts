import type { AnnounceFacts } from "../../domain/delegation/announce-block.ts"
import { openPauseFacts } from "../../domain/delegation/task/open-pause-facts.ts"
import { runDurationMs } from "../../domain/delegation/task/run-duration.ts"
import type { TaskFacts } from "../../domain/delegation/task/task-details.ts"
import type { TaskRow } from "../../domain/delegation/task/task-table.ts"
import { type ToolUse, toolUseOf } from "../../domain/delegation/task/tool-use.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import { toUsage } from "../../domain/limits/usage-totals.ts"
import type { RunRow, SessionRow, Store } from "../../store/store.ts"

const durationOf = (run: RunRow | undefined): number | null => runDurationMs(run, Date.now())

const pauseOf = async (store: Pick<Store, "sessions" | "pauses">, row: SessionRow): Promise<TaskFacts["pause"]> => {
  if (isFinal(row.status)) return null
  const open = await store.pauses.listOpen({ rootId: row.rootId })
  return openPauseFacts(row.id, await descendantIds(store, row.id), open)
}

const descendantIds = async (store: Pick<Store, "sessions">, id: string): Promise<ReadonlySet<string>> => {
  const ids = new Set<string>()
  const queue = [id]
  for (let parentId = queue.shift(); parentId !== undefined; parentId = queue.shift()) {
    const { items } = await store.sessions.list({ parentId, includeArchived: true, limit: 1_000 })
    for (const child of items) {
      ids.add(child.id)
      queue.push(child.id)
    }
  }
  return ids
}

/** All that a details or a wait call tells of a child. */
export const taskFactsOf = async (
  store: Pick<Store, "sessions" | "runs" | "pauses" | "usage">,
  row: SessionRow,
): Promise<TaskFacts> => {
  const run = await store.runs.latest(row.id)
  return {
    id: row.id,
    sessionKey: row.sessionKey,
    description: row.title,
    label: row.label,
    agent: row.agent,
    model: row.model,
    status: row.status,
    stopReason: row.stopReason,
    runId: row.runId ?? run?.runId ?? null,
    result: row.finalMessage,
    error: row.error,
    pause: await pauseOf(store, row),
    stepsTaken: run?.stepsTaken ?? row.stepsTaken,
    usage: toUsage(await store.usage.total({ sessionId: row.id, ...(run === undefined ? {} : { runId: run.runId }) })),
    startedAt: run?.startedAt ?? row.createdAt,
    durationMs: durationOf(run),
  }
}

export const taskRowOf = async (store: Pick<Store, "runs">, row: SessionRow): Promise<TaskRow> => {
  const run = await store.runs.latest(row.id)
  return {
    id: row.id,
    status: row.status,
    description: row.title,
    startedAt: run?.startedAt ?? row.createdAt,
    durationMs: durationOf(run),
    stepsTaken: run?.stepsTaken ?? row.stepsTaken,
  }
}

export const toolUse = async (store: Pick<Store, "messages">, row: SessionRow, runId: string): Promise<ToolUse> =>
  toolUseOf(await store.messages.read(row.id, { headSeq: row.headSeq }), runId)

/** What an announce says of one run of a child. */
export const announceFactsOf = async (
  store: Pick<Store, "runs" | "messages" | "usage">,
  row: SessionRow,
  runId: string,
): Promise<AnnounceFacts> => {
  const run = await store.runs.get(runId)
  const { toolCounts, lastToolText } = await toolUse(store, row, runId)
  return {
    childKey: row.sessionKey,
    childId: row.id,
    label: row.label,
    description: row.title,
    mode: row.metadata["mode"] === "session" ? "session" : "run",
    outcome: run === undefined ? null : { status: run.status, stopReason: run.stopReason },
    error: run?.error ?? null,
    resultText: run?.finalMessage ?? null,
    lastToolText,
    toolCounts,
    stepsTaken: run?.stepsTaken ?? 0,
    runtimeMs: durationOf(run) ?? 0,
    usage: toUsage(await store.usage.total({ sessionId: row.id, runId })),
  }
}

import type { AnnounceFacts } from "../../domain/delegation/announce-block.ts"
import type { TaskFacts } from "../../domain/delegation/task-details.ts"
import type { TaskRow } from "../../domain/delegation/task-table.ts"
import { isFinal } from "../../domain/is-final.ts"
import { toUsage } from "../../domain/usage-totals.ts"
import type { RunRow, SessionRow, Store } from "../../store/store.ts"

const durationOf = (run: RunRow | undefined): number | null => {
  if (run?.startedAt == null) return null
  const end = run.finishedAt === null ? Date.now() : Date.parse(run.finishedAt)
  return Math.max(0, end - Date.parse(run.startedAt))
}

/** What waits for a decision in a session and below it; calls of others carry whose they are. */
const pauseOf = async (store: Store, row: SessionRow): Promise<TaskFacts["pause"]> => {
  if (isFinal(row.status)) return null
  const open = await store.pauses.listOpen({ rootId: row.rootId })
  const below = await descendantIds(store, row.id)
  const own = open.find((pause) => pause.sessionId === row.id)
  const others = open.filter((pause) => below.has(pause.sessionId))
  const first = own ?? others[0]
  if (first === undefined) return null
  const calls = [...(own === undefined ? [] : [own]), ...others].flatMap((pause) =>
    pause.calls.map((call) =>
      pause.sessionId === row.id ? call : { ...call, task_id: pause.sessionId, checkpoint_id: pause.checkpointId },
    ),
  )
  return { checkpointId: first.checkpointId, type: first.type, message: first.message, calls }
}

const descendantIds = async (store: Store, id: string): Promise<ReadonlySet<string>> => {
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
export const taskFactsOf = async (store: Store, row: SessionRow): Promise<TaskFacts> => {
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

export const taskRowOf = async (store: Store, row: SessionRow): Promise<TaskRow> => {
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

/** Calls of one run by tool, in the order of their first use, and its last tool result. */
export const toolUse = async (
  store: Store,
  row: SessionRow,
  runId: string,
): Promise<{ readonly counts: Readonly<Record<string, number>>; readonly lastText: string | null }> => {
  const counts: Record<string, number> = {}
  let lastText: string | null = null
  for (const { message, runId: owner } of await store.messages.read(row.id, { headSeq: row.headSeq })) {
    if (message.role !== "tool" || owner !== runId) continue
    counts[message.name] = (counts[message.name] ?? 0) + 1
    lastText = message.content
  }
  return { counts, lastText }
}

/** What an announce says of one run of a child. */
export const announceFactsOf = async (store: Store, row: SessionRow, runId: string): Promise<AnnounceFacts> => {
  const run = await store.runs.get(runId)
  const { counts, lastText } = await toolUse(store, row, runId)
  return {
    childKey: row.sessionKey,
    childId: row.id,
    label: row.label,
    description: row.title,
    mode: row.metadata["mode"] === "session" ? "session" : "run",
    outcome: run === undefined ? null : { status: run.status, stopReason: run.stopReason },
    error: run?.error ?? null,
    resultText: run?.finalMessage ?? null,
    lastToolText: lastText,
    toolCounts: counts,
    stepsTaken: run?.stepsTaken ?? 0,
    runtimeMs: durationOf(run) ?? 0,
    usage: toUsage(await store.usage.total({ sessionId: row.id, runId })),
  }
}

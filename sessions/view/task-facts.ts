import { openPauseFacts } from "../../domain/delegation/task/open-pause-facts.ts"
import { runDurationMs } from "../../domain/delegation/task/run-duration.ts"
import type { TaskFacts } from "../../domain/delegation/task/task-details.ts"
import type { TaskRow } from "../../domain/delegation/task/task-table.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import { shownCall } from "../../domain/preview/shown-call.ts"
import { treeCheckpointOf } from "../pauses/tree-pause.ts"
import { readLastProgress } from "../rows/read-last-progress.ts"
import type { RunRow, SessionRow, Store } from "../../store/store.ts"
import { descendantsOf } from "../rows/session-tree.ts"

/** Returns what is pending in a session and its descendants. */
export const pauseFactsOf = async (
  store: Pick<Store, "sessions" | "pauses">,
  row: SessionRow,
): Promise<TaskFacts["pause"]> => {
  if (isFinal(row.status)) return null
  const rows = await store.pauses.listOpen({ rootId: row.rootId })
  const open = rows.map((pause) => ({ ...pause, calls: pause.calls.map(shownCall) }))
  const below = new Set((await descendantsOf(store, row)).map(({ id }) => id))
  const facts = openPauseFacts(row.id, below, open)
  const shown = rows.filter(({ sessionId }) => sessionId === row.id || below.has(sessionId))
  const isOwn = shown.length === 1 && shown[0]?.sessionId === row.id
  return facts === null || isOwn ? facts : { ...facts, treeCheckpointId: treeCheckpointOf(row.id, shown) }
}

/** Returns one row of the table of tasks, from a session and its latest run. */
export const taskRowFrom = (row: SessionRow, run: RunRow | undefined): TaskRow => ({
  id: row.id,
  status: row.status,
  number: row.number,
  description: row.title ?? row.label,
  startedAt: run?.startedAt ?? row.createdAt,
  durationMs: runDurationMs(run, Date.now()),
  stepsTaken: (run ?? row).stepsTaken,
})

/** Returns the facts about a task, from its session, its latest run and the data that had to be looked up. */
export const taskFactsFrom = (
  row: SessionRow,
  run: RunRow | undefined,
  found: Pick<TaskFacts, "runId" | "result" | "error" | "pause" | "usage" | "worktree">,
): TaskFacts => ({
  ...taskRowFrom(row, run),
  sessionKey: row.sessionKey,
  label: row.label,
  agent: row.agent,
  model: row.model,
  stopReason: row.stopReason,
  ...found,
})

/** Returns the last output of a command that runs as a task; null for any other session, and before there is any. */
export const commandOutput = async (store: Pick<Store, "events">, row: SessionRow): Promise<string | null> => {
  if (row.internal["tool"] !== "run_command_task" || isFinal(row.status) || row.runId === null) return null
  const message = await readLastProgress(store, { sessionId: row.id, runId: row.runId })
  return message === "" ? null : message
}

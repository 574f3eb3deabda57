import type { AnnounceFacts } from "../../domain/delegation/announce-block.ts"
import { runDurationMs } from "../../domain/delegation/task/run-duration.ts"
import type { TaskFacts } from "../../domain/delegation/task/task-details.ts"
import type { TaskRow } from "../../domain/delegation/task/task-table.ts"
import { type ToolUse, toolUseOf } from "../../domain/delegation/task/tool-use.ts"
import { toUsage } from "../../domain/limits/usage-totals.ts"
import { commandOutput, pauseFactsOf, taskFactsFrom, taskRowFrom } from "../../sessions/view/task-facts.ts"
import { worktreeView } from "../../sessions/worktree/worktree-view.ts"
import type { SessionRow, Store } from "../../store/store.ts"

/** Returns the facts about a child for a details or wait call. */
export const taskFactsOf = async (
  store: Pick<Store, "sessions" | "runs" | "pauses" | "usage" | "events">,
  row: SessionRow,
): Promise<TaskFacts> => {
  const run = await store.runs.latest(row.id)
  return taskFactsFrom(row, run, {
    runId: row.runId ?? run?.runId ?? null,
    result: row.finalMessage ?? (await commandOutput(store, row)),
    error: row.error,
    pause: await pauseFactsOf(store, row),
    usage: toUsage(await store.usage.total({ sessionId: row.id, ...(run === undefined ? {} : { runId: run.runId }) })),
  })
}

export const taskRowOf = async (store: Pick<Store, "runs">, row: SessionRow): Promise<TaskRow> =>
  taskRowFrom(row, await store.runs.latest(row.id))

export const toolUse = async (store: Pick<Store, "messages">, row: SessionRow, runId: string): Promise<ToolUse> =>
  toolUseOf(await store.messages.read(row.id, { headSeq: row.headSeq }), runId)

/** Returns the facts about one run of a child for an announcement. */
export const announceFactsOf = async (
  store: Pick<Store, "runs" | "messages" | "usage" | "worktrees">,
  row: SessionRow,
  runId: string,
): Promise<AnnounceFacts> => {
  const run = await store.runs.get(runId)
  const worktree = await store.worktrees.get(row.id)
  const { toolCounts, lastToolText } = await toolUse(store, row, runId)
  return {
    childKey: row.sessionKey,
    childId: row.id,
    label: row.label,
    description: row.title,
    mode: row.internal["mode"] === "session" ? "session" : "run",
    outcome: run === undefined ? null : { status: run.status, stopReason: run.stopReason },
    error: run?.error ?? null,
    resultText: run?.finalMessage ?? null,
    lastToolText,
    toolCounts,
    stepsTaken: run?.stepsTaken ?? 0,
    runtimeMs: runDurationMs(run, Date.now()) ?? 0,
    usage: toUsage(await store.usage.total({ sessionId: row.id, runId })),
    ...(worktree === undefined ? {} : { worktree: worktreeView(worktree) }),
  }
}

import type { AnnounceFacts } from "../../domain/delegation/announce-block.ts"
import { runDurationMs } from "../../domain/delegation/task/run-duration.ts"
import { type ToolUse, toolUseOf } from "../../domain/delegation/task/tool-use.ts"
import { toUsage } from "../../domain/limits/usage-totals.ts"
import { worktreeView } from "../../sessions/view/worktree-view.ts"
import type { SessionRow, Store } from "../../store/store.ts"

const toolUse = async (store: Pick<Store, "messages">, row: SessionRow, runId: string): Promise<ToolUse> =>
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

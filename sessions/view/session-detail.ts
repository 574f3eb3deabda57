import { type SessionDetail, sessionRunSchema } from "../../contracts/session/session-detail.ts"
import { spawnOptionsOf } from "../../domain/delegation/archive-due.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import { transcriptAddress } from "../../domain/transcript/transcript-address.ts"
import { worktreeView } from "./worktree-view.ts"
import type { RunRow, SessionRow, Store } from "../../store/store.ts"
import { type AskedEngine, notAsked, sessionView, type ViewContext } from "./session-view.ts"
import { viewOf } from "../view-of.ts"

const runFields = sessionRunSchema.keyof().options

const runView = (run: RunRow): SessionDetail["runs"][number] =>
  viewOf(runFields, {
    row: run,
    computed: {
      ran_seconds: Math.round(run.spending?.ranMs ?? 0) / 1_000,
      fallback_model: run.spending?.fallback ?? null,
      compactions: run.spending?.compacted ?? 0,
    },
  })

/** Returns a session with what only a look at one session shows: its runs, its question, and how it was spawned. What is queued for it is no part of that. */
export const sessionDetail = async (
  context: ViewContext & { readonly store: Pick<Store, "worktrees"> },
  row: SessionRow,
  engine: AskedEngine = notAsked,
): Promise<SessionDetail> => {
  const { store } = context
  const { isBound, cleanup } = spawnOptionsOf(row)
  const worktree = await store.worktrees.get(row.id)
  const run = row.runId === null ? undefined : await store.runs.get(row.runId)
  const pause = isFinal(row.status) ? undefined : await store.pauses.current(row.id)
  return {
    ...(await sessionView(context, row, engine)),
    mode: isBound ? "session" : "run",
    cleanup,
    agent_message: pause?.message ?? null,
    approval: run === undefined ? null : ((await store.snapshots.get(run.snapshotHash))?.approval ?? null),
    transcript: transcriptAddress(row.id),
    queued_messages: [],
    runs: (await store.runs.list(row.id)).map(runView),
    ...(worktree === undefined ? {} : { worktree: worktreeView(worktree) }),
  }
}

import type { SessionSignal } from "../../engine/send-update.ts"
import type { Store } from "../../store/store.ts"

export interface ReportDependencies {
  readonly store: Pick<Store, "sessions">
  /** Sends a signal; resolves to false if the session's execution is closed. */
  readonly signal: (signal: SessionSignal) => Promise<boolean>
}

/** Signals the nearest open session above that a run has ended. In the engine, a session that stays open is not a child of the session above. */
export const reportRun = async (
  { store, signal }: ReportDependencies,
  { sessionId, runId }: { readonly sessionId: string; readonly runId: string },
): Promise<void> => {
  const parentOf = async (id: string): Promise<string | null> => (await store.sessions.get(id))?.parentId ?? null
  const payload = { id: sessionId, status: "ended", run_id: runId }
  for (let above = await parentOf(sessionId); above !== null; above = await parentOf(above))
    if (await signal({ sessionId: above, name: "child", payload })) return
}

import type { PauseReason } from "../../contracts/approval/pause.ts"
import type { EngineState, Session } from "../../contracts/session.ts"
import type { TemporalUrl } from "../../domain/engine/temporal-url.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import { toUsage } from "../../domain/limits/usage-totals.ts"
import { shownCall } from "../decide/shown-call.ts"
import { finalMessageOf } from "../../domain/transcript/final-message-of.ts"
import type { PauseRow, SessionRow, Store } from "../../store/store.ts"
import { limitsView } from "./limits-view.ts"

export const pauseReasonOf = (pause: PauseRow): PauseReason =>
  pause.type === "input_required"
    ? { type: pause.type }
    : { type: pause.type, pending_tool_calls: pause.calls.map(shownCall) }

/** The data from which sessions are shown. */
export interface ViewContext {
  readonly store: Pick<Store, "pauses" | "usage" | "runs" | "snapshots">
  readonly temporalUrl: TemporalUrl
}

const textOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null)

/** Returns a session as adapters show it, from the store and, if the engine was asked, the engine's state. */
export const sessionView = async (
  { store, temporalUrl }: ViewContext,
  row: SessionRow,
  engineState: EngineState | null = null,
): Promise<Session> => {
  const pause = isFinal(row.status) ? undefined : await store.pauses.current(row.id)
  const usage = await store.usage.total({ sessionId: row.id })
  return {
    id: row.id,
    session_key: row.sessionKey,
    status: row.status,
    stop_reason: row.stopReason,
    error: row.error,
    title: row.title,
    label: row.label,
    agent: row.agent,
    model: row.model,
    parent_session_id: row.parentId,
    root_session_id: row.rootId,
    forked_from: textOrNull(row.internal["forked_from"]),
    depth: row.depth,
    number: row.number,
    cwd: row.cwd,
    run_id: row.runId,
    checkpoint_id: pause?.checkpointId ?? null,
    pause_reason: pause === undefined ? null : pauseReasonOf(pause),
    blocked_by: isFinal(row.status) || pause !== undefined ? null : row.blockedBy,
    final_message: finalMessageOf(row),
    steps_taken: row.stepsTaken,
    usage: toUsage(usage),
    limits: await limitsView(store, row),
    temporal_url: temporalUrl(row.id),
    created_at: row.createdAt,
    updated_at: row.updatedAt,
    archived_at: row.archivedAt,
    engine_state: engineState,
  }
}

import type { PauseReason } from "../../contracts/approval/pause.ts"
import type { EngineState, Session } from "../../contracts/session.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import { toUsage } from "../../domain/limits/usage-totals.ts"
import { shownCall } from "../decide/shown-call.ts"
import { finalMessageOf } from "../../domain/transcript/final-message-of.ts"
import type { PauseRow, SessionRow, Store } from "../../store/store.ts"

export const pauseReasonOf = (pause: PauseRow): PauseReason =>
  pause.type === "input_required"
    ? { type: pause.type }
    : { type: pause.type, pending_tool_calls: pause.calls.map(shownCall) }

/** Returns a session as adapters show it, from the store and, if the engine was asked, the engine's state. */
export const sessionView = async (
  store: Pick<Store, "pauses" | "usage">,
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
    title: row.title,
    agent: row.agent,
    model: row.model,
    parent_session_id: row.parentId,
    root_session_id: row.rootId,
    depth: row.depth,
    cwd: row.cwd,
    run_id: row.runId,
    checkpoint_id: pause?.checkpointId ?? null,
    pause_reason: pause === undefined ? null : pauseReasonOf(pause),
    final_message: finalMessageOf(row),
    steps_taken: row.stepsTaken,
    usage: toUsage(usage),
    created_at: row.createdAt,
    updated_at: row.updatedAt,
    engine_state: engineState,
  }
}

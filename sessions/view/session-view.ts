import type { PauseReason } from "../../contracts/approval/pause.ts"
import { type BlockedBy, type EngineState, type Session, sessionSchema } from "../../contracts/session/session.ts"
import type { TemporalUrl } from "../../domain/engine/temporal-url.ts"
import { shownBlock } from "../../domain/session/block.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import { toUsage } from "../../domain/limits/usage-totals.ts"
import { shownCall } from "../../domain/preview/shown-call.ts"
import { finalMessageOf } from "../../domain/transcript/final-message-of.ts"
import type { PauseRow, SessionRow, Store } from "../../store/store.ts"
import type { WriteOutage } from "../../store/database/database.ts"
import { warningsOf } from "../rows/run-warnings.ts"
import { limitsView } from "./limits-view.ts"
import { viewOf } from "../view-of.ts"

const fields = sessionSchema.keyof().options
const named = { parentId: "parent_session_id", rootId: "root_session_id" } as const

export const pauseReasonOf = (pause: PauseRow): PauseReason =>
  pause.type === "input_required"
    ? { type: pause.type }
    : { type: pause.type, pending_tool_calls: pause.calls.map(shownCall) }

/** The data from which sessions are shown. */
export interface ViewContext {
  readonly store: Pick<Store, "pauses" | "usage" | "runs" | "snapshots" | "outage">
  readonly temporalUrl: TemporalUrl
}

const textOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null)

/** What the engine said of a session. */
export interface AskedEngine {
  readonly engineState: EngineState | null
  /** It did not answer, or is another one. */
  readonly isAway?: true
}

export const notAsked: AskedEngine = { engineState: null }

/** Returns what keeps an open run from continuing, as far as that is known. */
const blockedByOf = (
  { status, blockedBy }: SessionRow,
  { isAway, outage }: Pick<AskedEngine, "isAway"> & { readonly outage: WriteOutage | undefined },
): BlockedBy[] => {
  if (isFinal(status)) return []
  const known = blockedBy === null ? [] : [shownBlock(blockedBy)]
  if (outage !== undefined) {
    const since = new Date(outage.sinceMs).toISOString()
    known.push({ type: "store", since, reason: outage.reason, next_at: null })
  }
  if (isAway === true) known.push({ type: "engine", since: null, reason: "Temporal does not answer", next_at: null })
  return known
}

/** Returns a session as adapters show it, from the store and, if the engine was asked, the engine's state. */
export const sessionView = async (
  { store, temporalUrl }: ViewContext,
  row: SessionRow,
  { engineState, isAway }: AskedEngine = notAsked,
): Promise<Session> => {
  const pause = isFinal(row.status) ? undefined : await store.pauses.current(row.id)
  const usage = await store.usage.total({ sessionId: row.id })
  const computed = {
    forked_from: textOrNull(row.internal["forked_from"]),
    checkpoint_id: pause?.checkpointId ?? null,
    pause_reason: pause === undefined ? null : pauseReasonOf(pause),
    blocked_by: pause === undefined ? blockedByOf(row, { isAway, outage: store.outage() }) : [],
    warnings: [...warningsOf(row)],
    final_message: finalMessageOf(row),
    usage: toUsage(usage),
    limits: await limitsView(store, row),
    temporal_url: temporalUrl(row.id),
    engine_state: engineState,
  }
  return viewOf(fields, { row, named, computed })
}

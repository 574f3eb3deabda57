import { shownCall } from "../../domain/preview/shown-call.ts"
import { runFinishedOrdinal } from "../../domain/run/run-event-ordinals.ts"
import { appendEvents } from "../events/append-events.ts"
import type { Writer } from "../database.ts"
import { insertAudit } from "../tables/audit.ts"
import { lockSession } from "../tables/sessions/lock-session.ts"
import { runTable } from "../tables/sessions/run-rows.ts"
import { sessionTable } from "../tables/sessions/session-table.ts"
import { pauseTable } from "../tables/pauses/pause-rows.ts"
import { selectPauses } from "../tables/pauses/select-pauses.ts"
import type { NewEvent } from "../events/new-event.ts"
import { selectLost } from "./select-missing.ts"
import type { LivingRun } from "./engine-rows.ts"

interface Reopening {
  readonly sessionId: string
  readonly living: LivingRun
  readonly at: number
}

interface Lost {
  readonly session: number
  readonly run: number
}

/** Returns the run if it ended because the engine did not know it; undefined for any other outcome, which is final. */
const findLost = async (db: Writer, { sessionId, living }: Reopening): Promise<Lost | undefined> => {
  const session = await lockSession(db, sessionId)
  if (session === undefined) return undefined
  const found = await selectLost(db)
    .select("runs.run_num")
    .where("missing_executions.session_num", "=", session)
    .where("missing_executions.run_id", "=", living.runId)
    .executeTakeFirst()
  return found === undefined ? undefined : { session, run: found.run_num }
}

const openRows = async (db: Writer, { session, run }: Lost, { living, at }: Reopening): Promise<void> => {
  const open = { status: living.status, stopReason: null, finalMessage: null, error: null }
  await db
    .updateTable("runs")
    .set((eb) => ({ ...runTable.changedBy(open), finished_at: null, reopened: eb("reopened", "+", 1) }))
    .where("run_num", "=", run)
    .execute()
  await db
    .updateTable("sessions")
    .set({ ...sessionTable.changedBy({ ...open, runId: living.runId }), archived_at: null, updated_at: at })
    .where("num", "=", session)
    .execute()
  await db
    .updateTable("pauses")
    .set({ closed_at: null })
    .where("session_num", "=", session)
    .where("checkpoint_id", "=", living.checkpointId ?? "")
    .execute()
  await db.deleteFrom("missing_executions").where("session_num", "=", session).execute()
}

/** Appends the run's actual state to the event log. The recorded end remains, since readers have its id, but without its ordinal, which the actual end gets. */
const appendReopened = async (db: Writer, { session, run }: Lost, reopening: Reopening): Promise<void> => {
  await db
    .updateTable("events")
    .set({ ordinal: null })
    .where("session_num", "=", session)
    .where("run_num", "=", run)
    .where("ordinal", "=", runFinishedOrdinal)
    .execute()
  const { sessionId, at } = reopening
  await appendEvents(db, { sessionId, events: [await presentEvent(db, session, reopening)], at })
}

const presentEvent = async (db: Writer, session: number, { living }: Reopening): Promise<NewEvent> => {
  const { runId, checkpointId } = living
  const selected = await selectPauses(db)
    .where("checkpoint_id", "=", checkpointId ?? "")
    .where("pauses.session_num", "=", session)
    .executeTakeFirst()
  if (selected === undefined) {
    const { agent, model } = await db
      .selectFrom("sessions")
      .select(["agent", "model"])
      .where("num", "=", session)
      .executeTakeFirstOrThrow()
    return { type: "run-started", runId, data: { agent, model, reopened: true } }
  }
  const { type, calls, message } = pauseTable.toRow(selected)
  const pending = calls.length > 0 ? { pending_tool_calls: calls.map(shownCall) } : {}
  const data = { checkpoint_id: checkpointId, pause_reason: { type, ...pending }, agent_message: message }
  return { type: "run-paused", runId, data: { ...data, reopened: true } }
}

/** Dismisses undelivered announcements of the recorded end; the actual end gets its own. */
const dismissAnnouncements = async (db: Writer, { session }: Lost, { living, at }: Reopening): Promise<void> => {
  await db
    .updateTable("deliveries")
    .set({ status: "dismissed", next_try_at: null, updated_at: at })
    .where("session_num", "=", session)
    .where("run_id", "=", living.runId)
    .where("event", "=", "run-finished")
    .where("status", "in", ["pending", "failed"])
    .execute()
}

/** Opens a run again that was recorded as lost. Returns false if it was not: it is open, or has another outcome. */
export const reopenRun = async (db: Writer, reopening: Reopening): Promise<boolean> => {
  const lost = await findLost(db, reopening)
  if (lost === undefined) return false
  const { sessionId, living, at } = reopening
  await openRows(db, lost, reopening)
  await appendReopened(db, lost, reopening)
  await dismissAnnouncements(db, lost, reopening)
  const { runId, status, checkpointId } = living
  const detail = { status, checkpoint_id: checkpointId }
  await insertAudit(db, at, { sessionId, runId, action: "reopen", by: "adjutant", via: "engine", detail })
  return true
}

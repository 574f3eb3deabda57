import type { Selectable } from "kysely"
import type { Database, Reader, Writer } from "../../database/database.ts"
import type { DatabaseSchema } from "../../schema/schema.ts"
import { toIso } from "../../columns/iso-time.ts"
import { oneRow } from "../../columns/one-row.ts"
import { fromJson, toJson } from "../../columns/json-column.ts"
import { lockSession, writeToSession } from "../sessions/lock-session.ts"
import { runNumber } from "../sessions/run-number.ts"
import { type NewPause, type NewPausedCall, type PauseRow, pauseTable, withPreview } from "../../schema/pause-table.ts"

type SelectedPause = Selectable<DatabaseSchema["pauses"]> & { readonly run_id: string; readonly session_id: string }

const selectPauses = (db: Reader) =>
  db
    .selectFrom("pauses")
    .innerJoin("sessions", "sessions.num", "pauses.session_num")
    .innerJoin("run_ids", "run_ids.num", "pauses.run_num")
    .selectAll("pauses")
    .select(["run_ids.run_id", "sessions.id as session_id"])

const openPause = async (db: Writer, pause: NewPause, at: number): Promise<PauseRow> => {
  const session = await lockSession(db, pause.sessionId)
  if (session === undefined)
    return { ...pause, calls: pause.calls.map(withPreview), openedAt: toIso(at), closedAt: toIso(at) }
  const run = await runNumber(db, session, pause.runId)
  await db
    .insertInto("pauses")
    .values({
      ...pauseTable.created(pause),
      session_num: session,
      run_num: run,
      calls: toJson(pause.calls),
      opened_at: at,
    })
    .onConflict((conflict) => conflict.columns(["session_num", "run_num", "ordinal"]).doNothing())
    .execute()
  return pauseTable.toRow(
    await selectPauses(db)
      .where("pauses.session_num", "=", session)
      .where("pauses.run_num", "=", run)
      .where("pauses.ordinal", "=", pause.ordinal)
      .executeTakeFirstOrThrow(),
  )
}

/** Identifies a pause by its session's number and its checkpoint. */
interface PauseKey {
  readonly session: number
  readonly checkpointId: string
}

const closePause = async (db: Writer, { session, checkpointId }: PauseKey, at: number): Promise<void> => {
  await db
    .updateTable("pauses")
    .set({ closed_at: at })
    .where("checkpoint_id", "=", checkpointId)
    .where("session_num", "=", session)
    .where("closed_at", "is", null)
    .execute()
}

const keepCalls = async (
  db: Writer,
  { session, checkpointId }: PauseKey,
  callIds: readonly string[],
): Promise<void> => {
  const row = await db
    .selectFrom("pauses")
    .select(["num", "calls"])
    .where("checkpoint_id", "=", checkpointId)
    .where("session_num", "=", session)
    .executeTakeFirst()
  if (row === undefined) return
  const pending = new Set(callIds)
  const calls = fromJson<readonly NewPausedCall[]>(row.calls).filter((call) => pending.has(call.id))
  await db
    .updateTable("pauses")
    .set({ calls: toJson(calls) })
    .where("num", "=", row.num)
    .execute()
}

const selectNewest = (db: Reader, sessionId: string) =>
  selectPauses(db).where("sessions.id", "=", sessionId).orderBy("pauses.num", "desc").limit(1)

const listOpenPauses = async (db: Reader, rootId: string | undefined): Promise<readonly PauseRow[]> => {
  const open = selectPauses(db).where("pauses.closed_at", "is", null).where("sessions.deleted_at", "is", null)
  const inTree = rootId === undefined ? open : open.where("sessions.root_id", "=", rootId)
  const rows = await inTree.orderBy("pauses.opened_at").orderBy("pauses.num").execute()
  return rows.map(pauseTable.toRow)
}

const one = (row: Promise<SelectedPause | undefined>): Promise<PauseRow | undefined> => oneRow(row, pauseTable.toRow)

export const createPauses = (database: Database) => ({
  /** Opens the pause `(run, ordinal)`, or returns the existing one: a retry gets the same checkpoint. */
  open: (pause: NewPause) => database.write((db) => openPause(db, pause, database.now())),

  close: (sessionId: string, checkpointId: string) =>
    writeToSession(database, sessionId, (db, session) => closePause(db, { session, checkpointId }, database.now())),

  /** Sets the calls that are still pending. */
  setCalls: (sessionId: string, checkpointId: string, callIds: readonly string[]) =>
    writeToSession(database, sessionId, (db, session) => keepCalls(db, { session, checkpointId }, callIds)),

  byCheckpoint: (checkpointId: string) =>
    database.read((db) => one(selectPauses(db).where("pauses.checkpoint_id", "=", checkpointId).executeTakeFirst())),

  current: (sessionId: string) =>
    database.read((db) => one(selectNewest(db, sessionId).where("pauses.closed_at", "is", null).executeTakeFirst())),

  latest: (sessionId: string) => database.read((db) => one(selectNewest(db, sessionId).executeTakeFirst())),

  /** The pause that was closed last. */
  latestClosed: (sessionId: string) =>
    database.read((db) =>
      one(
        selectPauses(db)
          .where("sessions.id", "=", sessionId)
          .where("pauses.closed_at", "is not", null)
          .orderBy("pauses.closed_at", "desc")
          .orderBy("pauses.num", "desc")
          .limit(1)
          .executeTakeFirst(),
      ),
    ),

  /** Every pause of a tree, whether or not it is open, oldest first. */
  ofTree: (rootId: string) =>
    database.read(async (db) =>
      (await selectPauses(db).where("sessions.root_id", "=", rootId).orderBy("pauses.num").execute()).map(
        pauseTable.toRow,
      ),
    ),

  /** Open pauses of all sessions that are not deleted, oldest first. */
  listOpen: (filter?: { rootId?: string }) => database.read((db) => listOpenPauses(db, filter?.rootId)),
})

import type { Database } from "../../database.ts"
import { toIso } from "../../columns/iso-time.ts"
import { fromJson, toJson } from "../../columns/json-column.ts"
import { lockSession } from "../sessions/lock-session.ts"
import { selectPauses, toPauseRow } from "./select-pauses.ts"
import type { SelectedPause } from "./select-pauses.ts"
import { runNumber } from "../sessions/run-number.ts"
import type { PauseRow, Pauses } from "./pause-rows.ts"

export const createPauses = (database: Database): Pauses => ({
  open: (pause) =>
    database.write(async (db) => {
      const at = database.now()
      const session = await lockSession(db, pause.sessionId)
      if (session === undefined) return { ...pause, openedAt: toIso(at), closedAt: toIso(at) }
      const run = await runNumber(db, session, pause.runId)
      await db
        .insertInto("pauses")
        .values({
          checkpoint_id: pause.checkpointId,
          session_num: session,
          run_num: run,
          ordinal: pause.ordinal,
          type: pause.type,
          calls: toJson(pause.calls),
          message: toJson(pause.message),
          opened_at: at,
        })
        .onConflict((conflict) => conflict.columns(["session_num", "run_num", "ordinal"]).doNothing())
        .execute()
      return toPauseRow(
        await selectPauses(db)
          .where("pauses.session_num", "=", session)
          .where("pauses.run_num", "=", run)
          .where("pauses.ordinal", "=", pause.ordinal)
          .executeTakeFirstOrThrow(),
      )
    }),

  close: (sessionId, checkpointId) =>
    database.write(async (db) => {
      const session = await lockSession(db, sessionId)
      if (session === undefined) return
      await db
        .updateTable("pauses")
        .set({ closed_at: database.now() })
        .where("checkpoint_id", "=", checkpointId)
        .where("session_num", "=", session)
        .where("closed_at", "is", null)
        .execute()
    }),

  setCalls: (sessionId, checkpointId, callIds) =>
    database.write(async (db) => {
      const session = await lockSession(db, sessionId)
      if (session === undefined) return
      const row = await db
        .selectFrom("pauses")
        .select(["num", "calls"])
        .where("checkpoint_id", "=", checkpointId)
        .where("session_num", "=", session)
        .executeTakeFirst()
      if (row === undefined) return
      const pending = new Set(callIds)
      const calls = fromJson<PauseRow["calls"]>(row.calls).filter((call) => pending.has(call.id))
      await db
        .updateTable("pauses")
        .set({ calls: toJson(calls) })
        .where("num", "=", row.num)
        .execute()
    }),

  byCheckpoint: (checkpointId) =>
    database.read((db) => one(selectPauses(db).where("pauses.checkpoint_id", "=", checkpointId).executeTakeFirst())),

  current: (sessionId) =>
    database.read((db) =>
      one(
        selectPauses(db)
          .where("sessions.id", "=", sessionId)
          .where("pauses.closed_at", "is", null)
          .orderBy("pauses.num", "desc")
          .limit(1)
          .executeTakeFirst(),
      ),
    ),

  latest: (sessionId) =>
    database.read((db) =>
      one(
        selectPauses(db).where("sessions.id", "=", sessionId).orderBy("pauses.num", "desc").limit(1).executeTakeFirst(),
      ),
    ),

  listOpen: (filter) =>
    database.read(async (db) => {
      const open = selectPauses(db).where("pauses.closed_at", "is", null).where("sessions.deleted_at", "is", null)
      const inTree = filter?.rootId === undefined ? open : open.where("sessions.root_id", "=", filter.rootId)
      const rows = await inTree.orderBy("pauses.opened_at").orderBy("pauses.num").execute()
      return rows.map(toPauseRow)
    }),
})

const one = async (row: Promise<SelectedPause | undefined>): Promise<PauseRow | undefined> => {
  const found = await row
  return found === undefined ? undefined : toPauseRow(found)
}

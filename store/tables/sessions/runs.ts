import type { Selectable } from "kysely"
import type { Clock, Database, Reader, Writer } from "../../database/database.ts"
import { oneRow } from "../../columns/one-row.ts"
import { writeToRun } from "./lock-session.ts"
import { runEndTime, type PatchOfRun, patchOfRun, terminalStatuses } from "./patch-of-run.ts"
import { keptRunNumber, runNumber } from "./run-number.ts"
import type { DatabaseSchema } from "../../schema/schema.ts"
import { type NewRun, type RunPatch, type RunRow, runTable } from "../../schema/run-table.ts"

type SelectedRun = Selectable<DatabaseSchema["runs"]> & { readonly run_id: string; readonly session_id: string }

const insertRun = async (db: Writer, session: number, run: NewRun & { readonly at: number }): Promise<void> => {
  await db
    .insertInto("runs")
    .values({
      run_num: await runNumber(db, session, run.runId),
      session_num: session,
      ...runTable.created(run),
      status: "pending",
      created_at: run.at,
    })
    .onConflict((conflict) => conflict.column("run_num").doNothing())
    .execute()
}

/** Locks a run's session, so that it cannot be erased between the check for a tombstone and the write. Returns the run's number if it is known then. */
const lockSessionOf = async (db: Writer, runId: string): Promise<number | undefined> => {
  const run = keptRunNumber(db, runId)
  if (run !== undefined) return run
  await db
    .selectFrom("sessions")
    .select("num")
    .where("num", "in", (eb) => eb.selectFrom("run_ids").select("session_num").where("run_id", "=", runId))
    .orderBy("num")
    .forNoKeyUpdate()
    .execute()
  return undefined
}

const selectRuns = (db: Reader) =>
  db
    .selectFrom("runs")
    .innerJoin("run_ids", "run_ids.num", "runs.run_num")
    .innerJoin("sessions", "sessions.num", "runs.session_num")
    .selectAll("runs")
    .select(["run_ids.run_id", "sessions.id as session_id"])

const one = (row: Promise<SelectedRun | undefined>): Promise<RunRow | undefined> => oneRow(row, runTable.toRow)

const updateRun = async (db: Writer, runId: string, patch: RunPatch, now: Clock): Promise<boolean> => {
  const run = await lockSessionOf(db, runId)
  const unfinished = db
    .updateTable("runs")
    .set(runTable.changedBy({ ...patch, finishedAt: runEndTime(patch, now) }))
    .where("status", "not in", terminalStatuses)
  const patched =
    run === undefined
      ? unfinished
          .where("run_num", "in", (eb) => eb.selectFrom("run_ids").select("num").where("run_id", "=", runId))
          .where("session_num", "in", (eb) => eb.selectFrom("sessions").select("num").where("deleted_at", "is", null))
      : unfinished.where("run_num", "=", run)
  const result = await patched.executeTakeFirst()
  return result.numUpdatedRows > 0n
}

export const createRuns = (database: Database) => ({
  create: (run: NewRun) =>
    writeToRun(database, run, (db, session) => insertRun(db, session, { ...run, at: database.now() })),

  get: (runId: string) =>
    database.read((db) => one(selectRuns(db).where("run_ids.run_id", "=", runId).limit(1).executeTakeFirst())),

  latest: (sessionId: string) =>
    database.read((db) =>
      one(
        selectRuns(db).where("sessions.id", "=", sessionId).orderBy("runs.run_num", "desc").limit(1).executeTakeFirst(),
      ),
    ),

  list: (sessionId: string) =>
    database.read(async (db) => {
      const rows = await selectRuns(db).where("sessions.id", "=", sessionId).orderBy("runs.run_num").execute()
      return rows.map(runTable.toRow)
    }),

  /** A terminal status never changes: a patch of a finished run is ignored and answers false. */
  patch: (runId: string, patch: RunPatch) => database.write((db) => updateRun(db, runId, patch, database.now)),

  /** Patches a run together with its session's row. Returns false, and changes no row of the session, where the run is final or the row shows another one. */
  patchWithSession: (patch: PatchOfRun) => database.write((db) => patchOfRun(db, patch, database.now)),
})

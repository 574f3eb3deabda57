import { sql } from "kysely"
import { expect, test } from "vitest"
import type { Database } from "../../../../store/database.ts"
import { migrate } from "../../../../store/migrate.ts"
import { postgresMigrations, sqliteMigrations } from "../../../../store/migration-dialect.ts"
import { migrations } from "../../../../store/migrations.ts"
import { openSqliteDatabase } from "../../../../store/sqlite/open-sqlite-database.ts"
import { openPostgresDatabase } from "../../../../store/postgres/open-postgres-database.ts"
import { parsePostgresUrl } from "../../../../store/postgres/postgres-address.ts"
import { prepareDataFile } from "../../../../store/sqlite/prepare-data-file.ts"
import { storeLocation } from "../../../../store/store-location.ts"
import type { StoreLocation } from "../../../helpers/store/store-under-test.ts"
import { createStoreLocation, testEachDatabase, openTestStore } from "../store-fixture.ts"

const limits = { lockTimeoutMs: 10_000, now: Date.now }

const openDatabase = async ({ url, dataDir }: StoreLocation): Promise<Database> => {
  const location = storeLocation(url, dataDir)
  if (location.kind === "postgres")
    return openPostgresDatabase({ address: parsePostgresUrl(location.url), patienceMs: 1_000, ...limits })
  await prepareDataFile(location.path)
  return openSqliteDatabase({ path: location.path, ...limits })
}

/** The text that earlier versions stored. */
const message = ["Temporal no longer knows this session: send a message to go", "on from its transcript"].join(" ")

/** A store with four sessions as written by the versions before the engine was remembered. */
const oldStore = async (): Promise<StoreLocation> => {
  const place = await createStoreLocation()
  const database = await openDatabase(place)
  const dialect = place.url === "sqlite:" ? sqliteMigrations : postgresMigrations
  await migrate(database, { migrations: migrations.slice(0, 4), dialect, place: "the store" })
  const run = (id: string, session: string, status: string, text: string) => [
    `insert into run_ids (run_id, session_num) select '${id}', num from sessions where id = '${session}'`,
    `insert into runs (run_num, session_num, snapshot_hash, status, stop_reason, error, created_at, finished_at)
      select num, session_num, 'h', '${status}', '${status === "failed" ? "terminated" : status}',
        '${JSON.stringify({ code: "terminated", message: text })}', 1, 2 from run_ids where run_id = '${id}'`,
  ]
  const session = (id: string, status: string, runId: string) =>
    `insert into sessions (id, session_key, agent, model, root_id, depth, cwd, status, run_id, created_at, updated_at)
      values ('${id}', '${id}', 'general', 'main', '${id}', 0, '/', '${status}', '${runId}', 1, 2)`
  const statements = [
    ...[session("lost", "failed", "run-1"), ...run("run-1", "lost", "failed", message)],
    ...[session("went-on", "completed", "run-3"), ...run("run-2", "went-on", "failed", message)],
    ...run("run-3", "went-on", "completed", ""),
    ...[session("terminated", "failed", "run-4"), ...run("run-4", "terminated", "failed", "terminated by hand")],
    ...[session("done", "completed", "run-5"), ...run("run-5", "done", "completed", "")],
  ]
  await database.write(async (db) => {
    for (const statement of statements) await sql.raw(statement).execute(db)
  })
  await database.close()
  return place
}

testEachDatabase(() => {
  test("runs that an earlier version ended after one check can be opened again, and no other runs", async () => {
    const store = await openTestStore(await oldStore())
    const lost = (await store.missing.listEnded(10)).map(({ sessionId, runId }) => [sessionId, runId])
    expect(lost).toEqual([
      ["lost", "run-1"],
      ["went-on", "run-2"],
    ])
    expect(await store.missing.count("any")).toEqual({ missing: 0, open: 0, lost: 0 })
    expect(await store.engine.read()).toBeUndefined()
    expect(await store.missing.reopen("lost", { runId: "run-1", status: "paused", checkpointId: null })).toBe(true)
    expect(await store.sessions.get("lost")).toMatchObject({ status: "paused" })
  })
})

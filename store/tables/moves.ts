import { sql } from "kysely"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { movedMachine } from "../../domain/engine/placement.ts"
import { type MovedPath, movePathsIn, withMovedPaths } from "../../domain/run/moved-paths.ts"
import { fromJson, toJson } from "../columns/json-column.ts"
import type { Database, Reader, Writer } from "../database/database.ts"

/** What a person is shown of a store before it is taken over. */
export interface MovableContents {
  /** How many sessions have each status. */
  readonly statuses: Readonly<Record<string, number>>
  /** Sessions that have a worktree. */
  readonly openWorktrees: readonly string[]
  readonly grants: number
  /** The settings of all runs. */
  readonly snapshots: readonly RunSnapshot[]
}

/** An SQLite file can contain statements that run with those of others; a store has none. */
const requirePlainFile = async (db: Reader): Promise<void> => {
  const found = await sql<{ name: string }>`select name from sqlite_master where type in ('trigger', 'view')`.execute(
    db,
  )
  const [first] = found.rows
  if (first !== undefined)
    throw new AdjutantError(
      "data_dir_unusable",
      `the session store contains ${first.name}, which Adjutant did not write`,
    )
}

/** Rows of the old place that would be believed: who worked there, what was answered there, and the keys and the address of its links. */
const forget = async (db: Writer): Promise<void> => {
  for (const table of ["workers", "machines", "left_processes", "stop_requests", "idempotency_keys"] as const)
    await db.deleteFrom(table).execute()
  await db
    .deleteFrom("meta")
    .where((row) => row.or([row("key", "like", "secret:%"), row("key", "=", "public-address")]))
    .execute()
}

/** Removes the keys with which links, decisions and messages are signed. */
const forgetSecrets = async (db: Writer): Promise<void> => {
  await db.deleteFrom("meta").where("key", "like", "secret:%").execute()
}

const movePaths = async (db: Writer, moved: readonly MovedPath[]): Promise<void> => {
  for (const { cwd } of await db.selectFrom("sessions").select("cwd").distinct().execute()) {
    const to = withMovedPaths(cwd, moved)
    if (to !== cwd) await db.updateTable("sessions").set({ cwd: to }).where("cwd", "=", cwd).execute()
  }
  for (const { hash, body } of await db.selectFrom("snapshots").selectAll().execute()) {
    // The hash stays: histories of the engine name the settings by it.
    const to = JSON.stringify(movePathsIn(JSON.parse(body), moved))
    if (to !== body) await db.updateTable("snapshots").set({ body: to }).where("hash", "=", hash).execute()
  }
}

/** What a person saw of a pending call is compared with the file at its new place. */
const movePreviews = async (db: Writer, moved: readonly MovedPath[]): Promise<void> => {
  const move = (body: string): string => JSON.stringify(movePathsIn(JSON.parse(body), moved))
  const key = ["session_num", "seq", "call_id"] as const
  for (const row of await db.selectFrom("call_previews").selectAll().execute()) {
    const { watched } = row
    if (watched === null || move(watched) === watched) continue
    const update = db.updateTable("call_previews").set({ watched: move(watched) })
    await key.reduce((query, name) => query.where(name, "=", row[name]), update).execute()
  }
}

/** Creates what a store that came from another place needs. */
export const createMoves = (database: Database) => ({
  /** @throws AdjutantError `data_dir_unusable` if the file does more than a store does */
  contents: () =>
    database.read(async (db): Promise<MovableContents> => {
      await requirePlainFile(db)
      const sessions = await db.selectFrom("sessions").select("status").where("deleted_at", "is", null).execute()
      const statuses: Record<string, number> = {}
      for (const { status } of sessions) statuses[status] = (statuses[status] ?? 0) + 1
      const worktrees = await db
        .selectFrom("worktrees")
        .innerJoin("sessions", "sessions.num", "worktrees.session_num")
        .select("sessions.id")
        .where("worktrees.status", "=", "open")
        .execute()
      const grants = await db.selectFrom("grants").select("id").where("revoked_at", "is", null).execute()
      const bodies = await db.selectFrom("snapshots").select("body").execute()
      return {
        statuses,
        openWorktrees: worktrees.map(({ id }) => id),
        grants: grants.length,
        // The table also contains the tool lists of runs.
        snapshots: bodies.flatMap(({ body }) => {
          const value = fromJson<RunSnapshot | readonly unknown[]>(body)
          return "mcpServers" in value ? [value] : []
        }),
      }
    }),

  /** Removes what nobody may read in a copy of the store. */
  forgetSecrets: () => database.write(forgetSecrets),

  /** Makes the paths below a directory those below another one, in all sessions: the directory was moved. */
  moveDirectory: (moved: MovedPath) =>
    database.write(async (db) => {
      await movePaths(db, [moved])
      await movePreviews(db, [moved])
    }),

  /**
   * Makes the store this machine's: paths are those of the new place, no session is at a place that has a worker, and no grant, link, waiting delivery or
   * known worker of the old place is left.
   */
  takeOver: (moved: readonly MovedPath[]) =>
    database.write(async (db) => {
      await requirePlainFile(db)
      await forget(db)
      await movePaths(db, moved)
      await movePreviews(db, moved)
      await db.updateTable("sessions").set({ machine: movedMachine, directory: null }).execute()
      const revoked = { revoked_at: database.now(), revoked_by: "move of the data directory" }
      await db.updateTable("grants").set(revoked).where("revoked_at", "is", null).execute()
      const dismissed = { status: "dismissed", last_error: toJson("the data directory was moved"), next_try_at: null }
      await db.updateTable("deliveries").set(dismissed).where("status", "=", "pending").execute()
    }),
})

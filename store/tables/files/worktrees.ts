import { gunzipSync, gzipSync } from "node:zlib"
import type { SessionWorktree, WorktreeStatus } from "../../../contracts/delegation/worktree.ts"
import { fromJson, toJson } from "../../columns/json-column.ts"
import type { Database } from "../../database/database.ts"
import { sessionNum, writeToSession } from "../sessions/lock-session.ts"

/** What people and models are shown of the changes in a worktree. */
export type WorktreeDetails = Pick<SessionWorktree, "files" | "diff" | "is_cut" | "left_out" | "problem">

/** The git worktree of a session. */
export interface WorktreeRow {
  readonly sessionId: string
  readonly status: WorktreeStatus
  readonly machine: string
  readonly path: string
  readonly source: string
  /** The files at the end of the run, as git names them. */
  readonly tree: string | null
  readonly details: WorktreeDetails | null
  readonly mergeKey: string | null
}

export type NewWorktreeRow = Pick<WorktreeRow, "sessionId" | "machine" | "path" | "source">

/** What was found in a worktree at the end of its run. */
export interface EndedWorktree {
  readonly status: Exclude<WorktreeStatus, "open" | "merged">
  readonly tree: string | null
  readonly details: WorktreeDetails
  /** Null if there are no changes, or they could not be read: those of an earlier run are then kept. */
  readonly patch: Buffer | null
}

const compress = (patch: Buffer): string => gzipSync(patch).toString("base64")

const openWorktree = (
  database: Database,
  { sessionId, machine, path, source }: NewWorktreeRow,
): Promise<boolean | undefined> =>
  writeToSession(database, sessionId, async (db, session) => {
    const empty = { tree: null, details: null, merge_key: null }
    const values = { status: "open", machine, path, source, ...empty, updated_at: database.now() }
    const { numInsertedOrUpdatedRows = 0n } = await db
      .insertInto("worktrees")
      .values({ session_num: session, patch: null, ...values })
      .onConflict((conflict) =>
        conflict.column("session_num").doUpdateSet(values).where("worktrees.status", "!=", "open"),
      )
      .executeTakeFirst()
    return numInsertedOrUpdatedRows > 0n
  })

const readWorktree = async (database: Database, sessionId: string): Promise<WorktreeRow | undefined> => {
  const row = await database.read((db) =>
    db
      .selectFrom("worktrees")
      .select(["status", "machine", "path", "source", "tree", "details", "merge_key"])
      .where("session_num", "=", sessionNum(db, sessionId))
      .executeTakeFirst(),
  )
  if (row === undefined) return undefined
  const { status, details, merge_key: mergeKey, ...rest } = row
  return {
    ...rest,
    sessionId,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only this file writes the column
    status: status as WorktreeStatus,
    details: details === null ? null : fromJson<WorktreeDetails>(details),
    mergeKey,
  }
}

const endWorktree = (
  database: Database,
  sessionId: string,
  { status, tree, details, patch }: EndedWorktree,
): Promise<boolean | undefined> => {
  const kept = status === "failed" ? {} : { patch: patch === null ? null : compress(patch) }
  return writeToSession(database, sessionId, async (db, session) => {
    const { numUpdatedRows } = await db
      .updateTable("worktrees")
      .set({ status, tree, details: toJson(details), ...kept, updated_at: database.now() })
      .where("session_num", "=", session)
      .where("status", "=", "open")
      .executeTakeFirst()
    return numUpdatedRows > 0n
  })
}

const beginMerge = (
  database: Database,
  sessionId: string,
  { tree, key }: { readonly tree: string; readonly key: string },
): Promise<boolean | undefined> =>
  writeToSession(database, sessionId, async (db, session) => {
    const { numUpdatedRows } = await db
      .updateTable("worktrees")
      .set({ merge_key: key, updated_at: database.now() })
      .where("session_num", "=", session)
      .where("status", "=", "changed")
      .where("tree", "=", tree)
      .where((eb) => eb.or([eb("merge_key", "is", null), eb("merge_key", "=", key)]))
      .executeTakeFirst()
    return numUpdatedRows > 0n
  })

export const createWorktrees = (database: Database) => ({
  /** Notes that a session works in its worktree. Returns false, without writing, if that is noted or the session does not exist. */
  open: async (worktree: NewWorktreeRow) => (await openWorktree(database, worktree)) ?? false,

  get: (sessionId: string) => readWorktree(database, sessionId),

  /** Returns the changes as a patch; undefined if there are none. */
  readPatch: async (sessionId: string) => {
    const row = await database.read((db) =>
      db
        .selectFrom("worktrees")
        .select("patch")
        .where("session_num", "=", sessionNum(db, sessionId))
        .executeTakeFirst(),
    )
    return row === undefined || row.patch === null ? undefined : gunzipSync(Buffer.from(row.patch, "base64"))
  },

  /** Notes what was changed. Returns false, without writing, if the worktree is not open. */
  end: async (sessionId: string, ended: EndedWorktree) => (await endWorktree(database, sessionId, ended)) ?? false,

  /** Lets one call merge the changes, and no other. Returns false if another call has them, or if the changes are not those of this `tree`. */
  beginMerge: async (sessionId: string, merge: { readonly tree: string; readonly key: string }) =>
    (await beginMerge(database, sessionId, merge)) ?? false,

  /** Notes that the call has merged the changes (true), or changed nothing. */
  endMerge: async (sessionId: string, key: string, isMerged: boolean) => {
    await writeToSession(database, sessionId, (db, session) =>
      db
        .updateTable("worktrees")
        .set(isMerged ? { status: "merged", patch: null } : { merge_key: null })
        .where("session_num", "=", session)
        .where("merge_key", "=", key)
        .execute(),
    )
  },
})

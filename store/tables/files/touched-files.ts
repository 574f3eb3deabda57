import type { Database } from "../../database/database.ts"
import { sessionNum, writeToSession } from "../sessions/lock-session.ts"

/** What a call has read or written of a file. Contents as SHA-256 in hexadecimal. */
export interface TouchedFile {
  /** Relative to the working directory of the session. */
  readonly path: string
  readonly seen?: string | undefined
  readonly written?: string | undefined
  /** Set if the call removed the file. */
  readonly isGone?: true
}

/** Creates access to what sessions have read and written of files: the latest of each file. */
export const createTouchedFiles = (database: Database) => ({
  /** Records what a call has read or written. What it does not name stays as it was. */
  put: (sessionId: string, { path, seen, written, isGone }: TouchedFile) =>
    writeToSession(database, sessionId, async (db, session) => {
      if (isGone === true) {
        await db.deleteFrom("touched_files").where("session_num", "=", session).where("path", "=", path).execute()
        return
      }
      const known = { ...(seen === undefined ? {} : { seen }), ...(written === undefined ? {} : { written }) }
      await db
        .insertInto("touched_files")
        .values({ session_num: session, path, seen: null, written: null, ...known })
        .onConflict((conflict) => conflict.columns(["session_num", "path"]).doUpdateSet(known))
        .execute()
    }),

  /** Returns the content that a session knows of a file; undefined if it has neither read nor written it. */
  seen: async (sessionId: string, path: string): Promise<string | undefined> => {
    const row = await database.read((db) =>
      db
        .selectFrom("touched_files")
        .select("seen")
        .where("session_num", "=", sessionNum(db, sessionId))
        .where("path", "=", path)
        .executeTakeFirst(),
    )
    return row?.seen ?? undefined
  },

  /** Returns what a session wrote last of each file, by path. */
  written: async (sessionId: string): Promise<ReadonlyMap<string, string>> => {
    const rows = await database.read((db) =>
      db
        .selectFrom("touched_files")
        .select(["path", "written"])
        .where("session_num", "=", sessionNum(db, sessionId))
        .where("written", "is not", null)
        .orderBy("path")
        .execute(),
    )
    return new Map(rows.flatMap(({ path, written }) => (written === null ? [] : [[path, written]])))
  },
})

import type { Database, Reader } from "../database/database.ts"
import { sessionNum, writeToSession } from "./sessions/lock-session.ts"

interface ShownFolder {
  readonly folder: string
  readonly seq: number
}

const readShown = (db: Reader, sessionId: string, folders: readonly string[]): Promise<readonly ShownFolder[]> =>
  db
    .selectFrom("shown_folders")
    .select(["folder", "seq"])
    .where("session_num", "=", sessionNum(db, sessionId))
    .where("folder", "in", folders)
    .execute()

export const createShownFolders = (database: Database) => ({
  /**
   * Records that a message shows the notes of folders. Returns those that no other message of the session shows, in the given order; for a message that is
   * written again, the same as before. Writes nothing if each of them is shown already.
   */
  show: async (sessionId: string, seq: number, folders: readonly string[]) => {
    if (folders.length === 0) return []
    const before = await database.read((db) => readShown(db, sessionId, folders))
    const shown =
      before.length === folders.length
        ? before
        : await writeToSession(database, sessionId, async (db, session) => {
            await db
              .insertInto("shown_folders")
              .values(folders.map((folder) => ({ session_num: session, folder, seq })))
              .onConflict((conflict) => conflict.columns(["session_num", "folder"]).doNothing())
              .execute()
            return await readShown(db, sessionId, folders)
          })
    const own = new Set(shown?.flatMap((row) => (row.seq === seq ? [row.folder] : [])))
    return folders.filter((folder) => own.has(folder))
  },
})

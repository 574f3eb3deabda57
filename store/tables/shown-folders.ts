import type { Database } from "../database.ts"
import { writeToSession } from "./sessions/lock-session.ts"

export interface ShownFolders {
  /**
   * Records that a message shows the notes of folders. Returns those that no other message of the session shows, in the given order; for a message that is
   * written again, the same as before.
   */
  show(sessionId: string, seq: number, folders: readonly string[]): Promise<readonly string[]>
}

export const createShownFolders = (database: Database): ShownFolders => ({
  show: async (sessionId, seq, folders) => {
    if (folders.length === 0) return []
    const rows = await writeToSession(database, sessionId, async (db, session) => {
      await db
        .insertInto("shown_folders")
        .values(folders.map((folder) => ({ session_num: session, folder, seq })))
        .onConflict((conflict) => conflict.columns(["session_num", "folder"]).doNothing())
        .execute()
      return await db
        .selectFrom("shown_folders")
        .select("folder")
        .where("session_num", "=", session)
        .where("seq", "=", seq)
        .where("folder", "in", folders)
        .execute()
    })
    const own = new Set(rows?.map(({ folder }) => folder))
    return folders.filter((folder) => own.has(folder))
  },
})

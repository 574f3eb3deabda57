import type { MediaType } from "../../../contracts/message.ts"
import { isMediaType } from "../../../domain/media/media-type.ts"
import type { Database, Reader } from "../../database.ts"
import { lockSession, sessionNum, writeToSession } from "../sessions/lock-session.ts"

/** An image or a PDF of a session. */
export interface StoredMedia {
  readonly id: string
  readonly mediaType: MediaType
  readonly sha256: string
  readonly data: Uint8Array
}

/** The images and PDF files of sessions, each stored once. They are erased with the session. */
export interface Media {
  /** Stores content, once. Returns false, without storing it, if the session would have more than `maxBytes`. */
  put(sessionId: string, content: StoredMedia, maxBytes: number): Promise<boolean>
  /** Returns the ids that a session has and no provider refused. */
  usable(sessionId: string): Promise<ReadonlySet<string>>
  /** Returns the content with these ids, as far as the session has it. */
  read(sessionId: string, ids: readonly string[]): Promise<readonly StoredMedia[]>
  /** Records that a provider refuses requests with these. */
  refuse(sessionId: string, ids: readonly string[]): Promise<void>
  /** Copies some into another session. Repeatable. */
  copy(fromSessionId: string, toSessionId: string, ids: readonly string[]): Promise<void>
}

const ofSession = (db: Reader, sessionId: string) =>
  db.selectFrom("media").where("session_num", "=", sessionNum(db, sessionId))

const storedBytes = async (db: Reader, session: number): Promise<number> => {
  const { sum } = db.fn
  const row = await db
    .selectFrom("media")
    .select(sum<number | string | null>("size").as("bytes"))
    .where("session_num", "=", session)
    .executeTakeFirst()
  return Number(row?.bytes ?? 0)
}

const put =
  (database: Database): Media["put"] =>
  async (sessionId, { id, mediaType, sha256, data }, maxBytes) => {
    const isStored = await writeToSession(database, sessionId, async (db, session) => {
      const known = await db
        .selectFrom("media")
        .select("id")
        .where("session_num", "=", session)
        .where("id", "=", id)
        .executeTakeFirst()
      if (known !== undefined) return true
      if ((await storedBytes(db, session)) + data.length > maxBytes) return false
      const row = { session_num: session, id, media_type: mediaType, sha256, size: data.length, data }
      await db.insertInto("media").values(row).execute()
      return true
    })
    return isStored ?? false
  }

const copy =
  (database: Database): Media["copy"] =>
  async (fromSessionId, toSessionId, ids) => {
    if (ids.length === 0) return
    await database.write(async (db) => {
      const from = await lockSession(db, fromSessionId)
      const to = await lockSession(db, toSessionId)
      if (from === undefined || to === undefined) return
      await db
        .insertInto("media")
        .columns(["session_num", "id", "media_type", "sha256", "size", "refused", "data"])
        .expression((eb) =>
          eb
            .selectFrom("media as source")
            .select((e) => [
              e.cast<number>(e.val(to), "bigint").as("session_num"),
              "source.id",
              "source.media_type",
              "source.sha256",
              "source.size",
              "source.refused",
              "source.data",
            ])
            .where("source.session_num", "=", from)
            .where("source.id", "in", [...ids]),
        )
        .onConflict((conflict) => conflict.columns(["session_num", "id"]).doNothing())
        .execute()
    })
  }

export const createMedia = (database: Database): Media => ({
  put: put(database),
  copy: copy(database),

  usable: async (sessionId) => {
    const rows = await database.read((db) => ofSession(db, sessionId).select("id").where("refused", "=", 0).execute())
    return new Set(rows.map(({ id }) => id))
  },

  read: async (sessionId, ids) => {
    if (ids.length === 0) return []
    const rows = await database.read((db) =>
      ofSession(db, sessionId)
        .select(["id", "media_type", "sha256", "data"])
        .where("id", "in", [...ids])
        .execute(),
    )
    return rows.flatMap(({ id, media_type, sha256, data }) =>
      isMediaType(media_type) ? [{ id, mediaType: media_type, sha256, data }] : [],
    )
  },

  refuse: async (sessionId, ids) => {
    if (ids.length === 0) return
    await writeToSession(database, sessionId, (db, session) =>
      db
        .updateTable("media")
        .set({ refused: 1 })
        .where("session_num", "=", session)
        .where("id", "in", [...ids])
        .execute(),
    )
  },
})

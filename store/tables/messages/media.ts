import type { MediaType } from "../../../contracts/message.ts"
import type { ModelSpec } from "../../../contracts/run-snapshot.ts"
import { isMediaType } from "../../../domain/media/media-type.ts"
import { fromJson, toJson } from "../../columns/json-column.ts"
import type { Database, Reader } from "../../database/database.ts"
import { lockSession, sessionNum, writeToSession } from "../sessions/lock-session.ts"

/** An image or a PDF of a session. */
export interface StoredMedia {
  readonly id: string
  readonly mediaType: MediaType
  readonly sha256: string
  readonly data: Uint8Array
}

/** The model that is asked. */
type MediaReader = Pick<ModelSpec, "provider" | "model">

const ofSession = (db: Reader, sessionId: string) =>
  db.selectFrom("media").where("session_num", "=", sessionNum(db, sessionId))

const readerName = ({ provider, model }: MediaReader): string => `${provider}/${model}`

const storedBytes = async (db: Reader, session: number): Promise<number> => {
  const { sum } = db.fn
  const row = await db
    .selectFrom("media")
    .select(sum<number | string | null>("size").as("bytes"))
    .where("session_num", "=", session)
    .executeTakeFirst()
  return Number(row?.bytes ?? 0)
}

const knownIds = async (db: Reader, session: number, ids: readonly string[]): Promise<Set<string>> => {
  const rows = await db
    .selectFrom("media")
    .select("id")
    .where("session_num", "=", session)
    .where("id", "in", [...ids])
    .execute()
  return new Set(rows.map(({ id }) => id))
}

const put =
  (database: Database) =>
  async (sessionId: string, contents: readonly StoredMedia[], maxBytes: number): Promise<ReadonlySet<string>> => {
    if (contents.length === 0) return new Set()
    const stored = await writeToSession(database, sessionId, async (db, session) => {
      const ids = contents.map(({ id }) => id)
      const known = await knownIds(db, session, ids)
      let bytes = await storedBytes(db, session)
      for (const { id, mediaType, sha256, data } of contents) {
        if (known.has(id) || bytes + data.length > maxBytes) continue
        const row = { session_num: session, id, media_type: mediaType, sha256, size: data.length, data }
        await db.insertInto("media").values(row).execute()
        known.add(id)
        bytes += data.length
      }
      return known
    })
    return stored ?? new Set()
  }

const copy =
  (database: Database) =>
  async (fromSessionId: string, toSessionId: string, ids: readonly string[]): Promise<void> => {
    if (ids.length === 0) return
    await database.write(async (db) => {
      const from = await lockSession(db, fromSessionId)
      const to = await lockSession(db, toSessionId)
      if (from === undefined || to === undefined) return
      await db
        .insertInto("media")
        .columns(["session_num", "id", "media_type", "sha256", "size", "refused_by", "data"])
        .expression((eb) =>
          eb
            .selectFrom("media as source")
            .select((e) => [
              e.cast<number>(e.val(to), "bigint").as("session_num"),
              "source.id",
              "source.media_type",
              "source.sha256",
              "source.size",
              "source.refused_by",
              "source.data",
            ])
            .where("source.session_num", "=", from)
            .where("source.id", "in", [...ids]),
        )
        .onConflict((conflict) => conflict.columns(["session_num", "id"]).doNothing())
        .execute()
    })
  }

/** Creates access to the images and PDF files of sessions, each stored once. They are erased with the session. */
export const createMedia = (database: Database) => ({
  /** Stores contents, each once, until the session has `maxBytes`. Returns the ids of those that the session has then. */
  put: put(database),
  /** Copies some into another session. Repeatable. */
  copy: copy(database),

  /** Returns the ids that a session has and the model's provider has not refused. */
  usable: async (sessionId: string, asked: MediaReader) => {
    const rows = await database.read((db) => ofSession(db, sessionId).select(["id", "refused_by"]).execute())
    return new Set(
      rows.flatMap(({ id, refused_by }) =>
        fromJson<readonly string[]>(refused_by).includes(readerName(asked)) ? [] : [id],
      ),
    )
  },

  /** Returns the content with these ids, as far as the session has it. */
  read: async (sessionId: string, ids: readonly string[]) => {
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

  /** Records that the provider refuses requests to a model with these. Other models still get them. */
  refuse: async (sessionId: string, asked: MediaReader, ids: readonly string[]) => {
    if (ids.length === 0) return
    await writeToSession(database, sessionId, async (db, session) => {
      const found = await db
        .selectFrom("media")
        .select(["id", "refused_by"])
        .where("session_num", "=", session)
        .where("id", "in", [...ids])
        .execute()
      for (const { id, refused_by } of found) {
        const refusers = toJson([...new Set([...fromJson<readonly string[]>(refused_by), readerName(asked)])])
        await db
          .updateTable("media")
          .set({ refused_by: refusers })
          .where("session_num", "=", session)
          .where("id", "=", id)
          .execute()
      }
    })
  },
})

import type { CallPreview } from "../../../contracts/approval/call-preview.ts"
import type { Database, Reader } from "../../database/database.ts"
import { fromJson, toJson } from "../../columns/json-column.ts"
import { sessionNum, writeToSession } from "../sessions/lock-session.ts"

/**
 * The file of a previewed call, as the call may find it when it runs. `sha256` is null if the file does not exist. Of a call that merges: the sub-agent,
 * its tree, and the hash of the patch. Of a call of an MCP tool: the tool, its definition, and the hash of that.
 */
export interface WatchedFileRow {
  readonly path: string
  readonly real: string
  readonly sha256: string | null
  /** The other files of the same call. */
  readonly others?: readonly WatchedFileRow[]
}

export interface CallPreviewRow {
  /** The transcript row of the call's result. */
  readonly seq: number
  readonly callId: string
  readonly preview: CallPreview
  readonly watched: WatchedFileRow | null
}

export const createCallPreviews = (database: Database) => ({
  /** Writes the previews of a pause; a call that is asked about again gets a new one. */
  put: async (sessionId: string, rows: readonly CallPreviewRow[]) => {
    await writeToSession(database, sessionId, async (db, session) => {
      for (const { seq, callId, preview, watched } of rows)
        await db
          .insertInto("call_previews")
          .values({
            session_num: session,
            seq,
            call_id: callId,
            preview: toJson(preview),
            watched: watched === null ? null : toJson(watched),
          })
          .onConflict((conflict) =>
            conflict.columns(["session_num", "seq"]).doUpdateSet((eb) => ({
              call_id: eb.ref("excluded.call_id"),
              preview: eb.ref("excluded.preview"),
              watched: eb.ref("excluded.watched"),
            })),
          )
          .execute()
    })
  },

  /** Returns the previews of the calls whose results have these places, in their order. */
  read: (sessionId: string, { from, to }: { readonly from: number; readonly to: number }) =>
    database.read(async (db) => {
      const rows = await db
        .selectFrom("call_previews")
        .selectAll()
        .where("session_num", "=", sessionNum(db, sessionId))
        .where("seq", ">=", from)
        .where("seq", "<=", to)
        .orderBy("seq")
        .execute()
      return rows.map((row) => ({
        seq: row.seq,
        callId: row.call_id,
        preview: fromJson<CallPreview>(row.preview),
        watched: row.watched === null ? null : fromJson<WatchedFileRow>(row.watched),
      }))
    }),

  /** Returns the newest preview of a call with this id; undefined if no worker has made one. */
  latest: (sessionId: string, callId: string) => database.read((db) => latestPreview(db, sessionId, callId)),

  /** Replaces the expected content of a call's file, after an earlier call of its batch has changed it. */
  expect: async (
    sessionId: string,
    { seq, callId }: Pick<CallPreviewRow, "seq" | "callId">,
    watched: WatchedFileRow,
  ) => {
    await writeToSession(database, sessionId, (db, session) =>
      db
        .updateTable("call_previews")
        .set({ watched: toJson(watched) })
        .where("session_num", "=", session)
        .where("seq", "=", seq)
        .where("call_id", "=", callId)
        .execute(),
    )
  },
})

const latestPreview = async (db: Reader, sessionId: string, callId: string): Promise<CallPreview | undefined> => {
  const row = await db
    .selectFrom("call_previews")
    .select("preview")
    .where("session_num", "=", sessionNum(db, sessionId))
    .where("call_id", "=", callId)
    .orderBy("seq", "desc")
    .limit(1)
    .executeTakeFirst()
  return row === undefined ? undefined : fromJson<CallPreview>(row.preview)
}

import type { Reader, Writer } from "../../database/database.ts"
import { prepared } from "../../database/prepared-query.ts"
import type { Fence } from "../fence.ts"
import { sessionTable } from "../../schema/session-table.ts"
import { type SelectedMessage, toMessageRow } from "./message-row.ts"
import type { Tail } from "./message-rows.ts"

interface From {
  readonly seq: number
  readonly since: Fence
}

/** Returns true if no row above `seq` was written with the fence or a later one. */
export const isEnd = async (db: Writer, sessionNum: number, { seq, since }: From): Promise<boolean> => {
  const later = await db
    .selectFrom("messages")
    .select("seq")
    .where("session_num", "=", sessionNum)
    .where("seq", ">", seq)
    .where("fence", ">=", since)
    .limit(1)
    .executeTakeFirst()
  return later === undefined
}

/** Whether a join has found a row. */
const isWritten = (row: {
  readonly [Column in keyof SelectedMessage]: SelectedMessage[Column] | null
}): row is SelectedMessage => row.seq !== null

const selectTail = prepared((db, from: From & { readonly sessionId: string }) =>
  db
    .selectFrom("sessions")
    .leftJoin("messages", (join) =>
      join
        .onRef("messages.session_num", "=", "sessions.num")
        .on("messages.seq", ">=", from.seq)
        .on("messages.fence", ">=", from.since),
    )
    .leftJoin("run_ids", "run_ids.num", "messages.run_num")
    .select(["sessions.depth", "sessions.internal"])
    .select(["messages.seq", "run_ids.run_id", "messages.step", "messages.fence", "messages.at", "messages.body"])
    .select(({ selectFrom }) =>
      selectFrom("pauses")
        .select("pauses.num")
        .whereRef("pauses.session_num", "=", "sessions.num")
        .where("pauses.closed_at", "is", null)
        .limit(1)
        .as("pause"),
    )
    .where("sessions.id", "=", from.sessionId)
    .where("sessions.deleted_at", "is", null)
    .orderBy("messages.seq")
    .limit(1),
)

export const readTail = async (db: Reader, sessionId: string, from: From): Promise<Tail | undefined> => {
  const [found] = (await selectTail(db, { sessionId, ...from })).rows
  if (found === undefined) return undefined
  const { pause, depth, internal, ...message } = found
  const session = sessionTable.pick(["depth", "internal"], { depth, internal })
  const row = isWritten(message) ? toMessageRow(message) : undefined
  return { row, isPaused: pause !== null, session }
}

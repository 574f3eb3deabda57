import { wellFormed } from "../../../domain/text/foreign/well-formed.ts"
import type { Reader, Writer } from "../../database/database.ts"
import { toJson } from "../../columns/json-column.ts"
import { runNumber } from "../sessions/run-number.ts"
import type { MessageRow } from "./message-rows.ts"

/** The fence of rows that no workflow has placed yet; the row of any attempt replaces them. */
const acceptedFence = -1

const transcriptHead = async (db: Reader, sessionNum: number): Promise<number> => {
  const { head_seq: head } = await db
    .selectFrom("sessions")
    .select("head_seq")
    .where("num", "=", sessionNum)
    .executeTakeFirstOrThrow()
  return head
}

/** Adds a row after the last one, unless the run has a row already. The session's row is locked. */
export const showAccepted = async (
  db: Writer,
  sessionNum: number,
  { runId, message, at }: Pick<MessageRow, "runId" | "message"> & { readonly at: number },
): Promise<void> => {
  const run = await runNumber(db, sessionNum, runId)
  const known = await db
    .selectFrom("messages")
    .select("seq")
    .where("session_num", "=", sessionNum)
    .where("run_num", "=", run)
    .limit(1)
    .executeTakeFirst()
  if (known !== undefined) return
  const seq = (await transcriptHead(db, sessionNum)) + 1
  const row = {
    session_num: sessionNum,
    seq,
    run_num: run,
    step: 1,
    fence: acceptedFence,
    at,
    body: toJson(wellFormed(message)),
  }
  await db
    .insertInto("messages")
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(["session_num", "seq"])
        .doUpdateSet({ run_num: run, step: 1, fence: acceptedFence, at, body: row.body }),
    )
    .execute()
  await db.updateTable("sessions").set({ head_seq: seq }).where("num", "=", sessionNum).execute()
}

/** Removes the row that was added for a run, if no workflow has placed it. */
export const removeAccepted = async (db: Writer, sessionNum: number, runId: string): Promise<void> => {
  const run = await runNumber(db, sessionNum, runId)
  const head = await transcriptHead(db, sessionNum)
  const removed = await db
    .deleteFrom("messages")
    .where("session_num", "=", sessionNum)
    .where("run_num", "=", run)
    .where("fence", "=", acceptedFence)
    .where("seq", "=", head)
    .executeTakeFirst()
  if (removed.numDeletedRows === 0n) return
  await db
    .updateTable("sessions")
    .set({ head_seq: head - 1 })
    .where("num", "=", sessionNum)
    .execute()
}

/** Returns the last place of the transcript without rows at its end that wait for a place. A run that ended before its first step keeps its row. */
export const placedHead = async (db: Reader, sessionNum: number): Promise<number> => {
  const head = await transcriptHead(db, sessionNum)
  const waiting = await db
    .selectFrom("messages")
    .innerJoin("runs", "runs.run_num", "messages.run_num")
    .select("messages.seq")
    .where("messages.session_num", "=", sessionNum)
    .where("messages.seq", "<=", head)
    .where("messages.fence", "=", acceptedFence)
    .where("runs.status", "in", ["pending", "running", "paused"])
    .execute()
  const seqs = new Set(waiting.map(({ seq }) => seq))
  let placed = head
  while (seqs.has(placed)) placed -= 1
  return placed
}

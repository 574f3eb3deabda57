import type { Writer } from "../../database/database.ts"
import type { NewSession } from "./session-rows.ts"

/** Returns whose sub-agents a session is counted among; undefined if it is nobody's. */
const ownerOf = ({ parentId, caller }: NewSession): string | undefined => {
  if (parentId !== null) return `parent ${parentId}`
  return caller == null ? undefined : `caller ${caller}`
}

/** Gives a new session the next number of its parent or caller. Numbers are counted apart from the rows, so that none is given twice. */
export const numberSession = async (db: Writer, session: NewSession): Promise<void> => {
  const owner = ownerOf(session)
  if (owner === undefined) return
  const { last } = await db
    .insertInto("session_numbers")
    .values({ owner, last: 1 })
    .onConflict((conflict) =>
      conflict.column("owner").doUpdateSet((eb) => ({ last: eb("session_numbers.last", "+", 1) })),
    )
    .returning("last")
    .executeTakeFirstOrThrow()
  await db.updateTable("sessions").set({ ordinal: last }).where("id", "=", session.id).execute()
}

import { sql } from "kysely"
import type { Reader, Writer } from "../../database/database.ts"
import { toIso } from "../../columns/iso-time.ts"
import { isInPage } from "./session-cursor.ts"
import type { EndedSession, SessionPage } from "./session-rows.ts"
import { sessionTable } from "../../schema/session-table.ts"

const isFinalStatus = sql<boolean>`sessions.status in ('completed', 'failed', 'cancelled', 'timed_out')`

/** Returns the sessions that are neither archived nor deleted and whose latest run has ended: the oldest first, or a page of them. */
export const listEnded = async (db: Reader, page?: SessionPage): Promise<readonly EndedSession[]> => {
  const ended = db
    .selectFrom("sessions")
    .innerJoin("run_ids", "run_ids.run_id", "sessions.run_id")
    .innerJoin("runs", "runs.run_num", "run_ids.num")
    .select(["sessions.id", "sessions.parent_id", "sessions.depth", "sessions.metadata", "sessions.internal"])
    .select(["run_ids.run_id", "runs.snapshot_hash", "runs.finished_at"])
    .whereRef("run_ids.session_num", "=", "sessions.num")
    .where(isFinalStatus)
    .where("sessions.archived_at", "is", null)
    .where("sessions.deleted_at", "is", null)
    .where("runs.finished_at", "is not", null)
  const rows = await (
    page === undefined
      ? ended.orderBy("sessions.num")
      : ended.where(isInPage(page)).orderBy("sessions.id").limit(page.limit)
  ).execute()
  return rows.flatMap((row) =>
    row.finished_at === null
      ? []
      : [
          {
            ...sessionTable.pick(["id", "parentId", "depth", "internal"], row),
            runId: row.run_id,
            snapshotHash: row.snapshot_hash,
            endedAt: toIso(row.finished_at),
          },
        ],
  )
}

/** Archives a session; returns false, without writing, if another run has begun since. */
export const archiveEnded = async (
  db: Writer,
  session: { readonly id: string; readonly runId: string },
  at: number,
): Promise<boolean> => {
  const result = await db
    .updateTable("sessions")
    .set({ archived_at: at, updated_at: at })
    .where("id", "=", session.id)
    .where("run_id", "=", session.runId)
    .where(isFinalStatus)
    .where("archived_at", "is", null)
    .where("deleted_at", "is", null)
    .executeTakeFirst()
  return result.numUpdatedRows > 0n
}

/** A session is created with an empty `internal`. */
const hasTexts = sql.join(
  Object.keys(sessionTable.erased).map((column) =>
    column === "internal" ? sql`internal <> '{}'` : sql`${sql.ref(column)} is not null`,
  ),
  sql` or `,
)

/** Returns the ids of deleted sessions that still have texts. */
export const listUnerased = async (db: Reader): Promise<readonly string[]> => {
  const rows = await db
    .selectFrom("sessions")
    .select("id")
    .where("deleted_at", "is not", null)
    .where(
      sql<boolean>`(${hasTexts}
        or exists (select 1 from messages where messages.session_num = sessions.num)
        or exists (select 1 from events where events.session_num = sessions.num)
        or exists (select 1 from inbox where inbox.session_num = sessions.num))`,
    )
    .orderBy("num")
    .execute()
  return rows.map(({ id }) => id)
}

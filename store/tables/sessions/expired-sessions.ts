import { sql } from "kysely"
import type { Reader, Writer } from "../../database/database.ts"

/** Which trees have expired: they ended before a time, and their label does not protect them. */
export interface Expiry {
  readonly beforeMs: number
  readonly keepLabels: readonly string[]
}

/** A tree by the number of its root. */
export interface ExpiredTree {
  readonly num: number
  readonly id: string
  readonly sessions: number
}

/** A session keeps its tree if it is open, has changed since, answers in a thread, or has a delivery that is still tried. */
const keepsTree = (beforeMs: number) => sql<boolean>`exists (
  select 1 from sessions as member where member.root_id = sessions.id and member.deleted_at is null and (
    member.status in ('pending', 'running', 'paused') or member.updated_at >= ${beforeMs}
    or exists (select 1 from bindings where bindings.session_num = member.num)
    or exists (select 1 from deliveries where deliveries.session_num = member.num and deliveries.status = 'pending')))`

const expired = (db: Reader, { beforeMs, keepLabels }: Expiry) => {
  const roots = db
    .selectFrom("sessions")
    .where("parent_id", "is", null)
    .where("deleted_at", "is", null)
    .where("updated_at", "<", beforeMs)
    .where(sql<boolean>`not ${keepsTree(beforeMs)}`)
  return keepLabels.length === 0
    ? roots
    : roots.where((eb) => eb.or([eb("label", "is", null), eb("label", "not in", keepLabels)]))
}

/** Returns expired trees, the oldest first, behind the number of a root. */
export const listExpired = async (
  db: Reader,
  expiry: Expiry,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<readonly ExpiredTree[]> => {
  const rows = await expired(db, expiry)
    .where("num", ">", after)
    .select(["num", "id"])
    .select(sql<number>`(select count(*) from sessions as member where member.root_id = sessions.id)`.as("sessions"))
    .orderBy("num")
    .limit(limit)
    .execute()
  return rows.map(({ num, id, sessions }) => ({ num: Number(num), id, sessions: Number(sessions) }))
}

/** Marks those of the trees that are still expired as deleted. Returns the ids of all their sessions. */
export const expireTrees = async (
  db: Writer,
  roots: readonly string[],
  { expiry, at }: { readonly expiry: Expiry; readonly at: number },
): Promise<readonly string[]> => {
  if (roots.length === 0) return []
  const due = await expired(db, expiry).where("id", "in", roots).select("id").forNoKeyUpdate().execute()
  if (due.length === 0) return []
  const rows = await db
    .updateTable("sessions")
    .set({ deleted_at: at, updated_at: at })
    .where(
      "root_id",
      "in",
      due.map(({ id }) => id),
    )
    .where("deleted_at", "is", null)
    .returning("id")
    .execute()
  return rows.map(({ id }) => id)
}

/** Erases the events of sessions that ended before a time, some at once. Returns their ids. */
export const eraseOldEvents = async (db: Writer, beforeMs: number, limit: number): Promise<readonly string[]> => {
  const rows = await db
    .selectFrom("sessions")
    .select(["num", "id"])
    .where("deleted_at", "is", null)
    .where("updated_at", "<", beforeMs)
    .where(sql<boolean>`status not in ('pending', 'running', 'paused')`)
    .where(sql<boolean>`exists (select 1 from events where events.session_num = sessions.num)`)
    .orderBy("num")
    .limit(limit)
    .forNoKeyUpdate()
    .execute()
  if (rows.length === 0) return []
  const nums = rows.map(({ num }) => num)
  await db.deleteFrom("events").where("session_num", "in", nums).execute()
  await db
    .updateTable("sessions")
    .set((eb) => ({ first_event: eb.ref("next_event") }))
    .where("num", "in", nums)
    .execute()
  return rows.map(({ id }) => id)
}

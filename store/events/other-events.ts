import { createHash } from "node:crypto"
import type { Insertable } from "kysely"
import type { Reader } from "../database/database.ts"
import type { DatabaseSchema } from "../schema/schema.ts"
import { eventTypeCode } from "../columns/event-type-code.ts"

export type EventRow = Insertable<DatabaseSchema["events"]>

/** Of what activities record themselves. The rest a run has once, or once at a place, whatever it says: who repeats it can say it differently. */
const comparedTypes: ReadonlySet<number> = new Set(
  (["tool-calls-proposed", "usage-updated"] as const).map(eventTypeCode),
)

/** Whether two events with one ordinal are the same only if they say the same. The workflow's own ordinals count from 0. */
const isCompared = (row: EventRow): row is EventRow & { readonly ordinal: number } =>
  row.ordinal != null && (row.ordinal >= 0 || comparedTypes.has(row.type))

/** Events of these types name something that happens once: a run that was reset reports it again, with any ordinal. */
const namedTypes: ReadonlySet<number> = new Set(
  (["child-started", "child-finished", "decision-recorded", "steering-applied"] as const).map(eventTypeCode),
)

const isNamed = ({ type, ordinal }: EventRow): boolean => ordinal != null && namedTypes.has(type)

/** Returns the rows without those that report something that the log of their run contains already. */
export const withoutReported = async (db: Reader, rows: readonly EventRow[]): Promise<readonly EventRow[]> => {
  const named = rows.filter(isNamed)
  const [first] = named
  if (first === undefined) return rows
  const logged = await db
    .selectFrom("events")
    .select(["run_num", "type", "data"])
    .where("session_num", "=", first.session_num)
    .where("run_num", "in", [...new Set(named.map(({ run_num }) => run_num))])
    .where("type", "in", [...new Set(named.map(({ type }) => type))])
    .where("data", "in", [...new Set(named.map(({ data }) => data ?? ""))])
    .where("ordinal", "is not", null)
    .execute()
  const isReported = (row: EventRow): boolean =>
    logged.some(({ run_num, type, data }) => run_num === row.run_num && type === row.type && data === row.data)
  return rows.filter((row) => !isNamed(row) || !isReported(row))
}

/** Below all other ordinals. */
const firstOfContents = -(2 ** 50)

/** Returns an ordinal for an event whose own one belongs to another: it is that of what the event says, so that a repetition has it too. */
const ordinalOfContent = ({ type, ordinal, data }: EventRow): number => {
  const hash = createHash("sha256").update(JSON.stringify([type, ordinal, data]))
  return firstOfContents - Number.parseInt(hash.digest("hex").slice(0, 12), 16)
}

/**
 * Returns, of rows that were inserted unless their ordinals were in the log, those that say something else than what is there: they are other events, and get
 * ordinals of their own. A run that was reset counts its ordinals again.
 */
export const otherEvents = async (db: Reader, rows: readonly EventRow[]): Promise<readonly EventRow[]> => {
  const compared = rows.filter(isCompared)
  const [first] = compared
  if (first === undefined) return []
  const logged = await db
    .selectFrom("events")
    .select(["id", "run_num", "type", "ordinal", "data"])
    .where("session_num", "=", first.session_num)
    .where("ordinal", "in", [...new Set(compared.map(({ ordinal }) => ordinal))])
    .execute()
  return compared.flatMap((row) => {
    const found = logged.find(({ run_num, ordinal }) => run_num === row.run_num && ordinal === row.ordinal)
    if (found === undefined || found.id === row.id) return []
    if (found.type === row.type && found.data === row.data) return []
    return [{ ...row, ordinal: ordinalOfContent(row) }]
  })
}

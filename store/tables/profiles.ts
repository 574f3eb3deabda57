import type { Selectable } from "kysely"
import { toIso } from "../columns/iso-time.ts"
import { fromJsonOrNull, toJson } from "../columns/json-column.ts"
import type { Database, Writer } from "../database/database.ts"
import type { DatabaseSchema } from "../schema/schema.ts"
import { type AuditRow, insertAudit } from "./audit.ts"
import { type ProfileRow, profileTable } from "../schema/profile-table.ts"

export interface ProfileChange {
  readonly name: string
  /** The version that is replaced; `none`: there is no profile of this name; `any`: the latest. */
  readonly base: number | "none" | "any"
  /** Null: the profile is deleted. */
  readonly profile: object | null
  readonly by: string
  readonly via: string
  readonly kind?: AuditRow["kind"]
}

/** `mostBytes`: length of all profiles together, as JSON. */
export interface ProfileLimits {
  readonly mostProfiles: number
  readonly mostBytes: number
}

export type ProfileOutcome =
  | ({ readonly kind: "changed" } & Pick<ProfileRow, "version" | "updatedAt" | "updatedBy">)
  | { readonly kind: "conflict" }
  | { readonly kind: "full" }

type Row = Selectable<DatabaseSchema["profiles"]>

const rowOf = (row: Row): readonly ProfileRow[] => (row.profile === null ? [] : [profileTable.toRow(row)])

const isBase = (current: Row | undefined, base: ProfileChange["base"]): boolean => {
  const exists = current !== undefined && current.profile !== null
  if (base === "none") return !exists
  return exists && (base === "any" || current.version === base)
}

const hasRoom = (
  rows: readonly Row[],
  { name, profile }: { readonly name: string; readonly profile: string },
  limits: ProfileLimits,
): boolean => {
  const others = rows.flatMap((row) => (row.profile === null || row.name === name ? [] : [row.profile]))
  const bytes = [...others, profile].reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  return others.length < limits.mostProfiles && bytes <= limits.mostBytes
}

/** Writes the row unless another writer has changed it since it was read. */
const writeRow = async (db: Writer, current: Row | undefined, next: Row): Promise<boolean> => {
  const { name, ...values } = next
  const result =
    current === undefined
      ? await db
          .insertInto("profiles")
          .values(next)
          .onConflict((conflict) => conflict.column("name").doNothing())
          .executeTakeFirst()
      : await db
          .updateTable("profiles")
          .set(values)
          .where("name", "=", name)
          .where("version", "=", current.version)
          .executeTakeFirst()
  return ("numUpdatedRows" in result ? result.numUpdatedRows : (result.numInsertedOrUpdatedRows ?? 0n)) > 0n
}

const auditOf = ({ name, by, via, kind }: ProfileChange, before: Row | undefined, after: Row) => {
  const isNew = before === undefined || before.profile === null
  return {
    ...{ sessionId: "", runId: null, by, via, kind },
    action: isNew ? "profile-create" : after.profile === null ? "profile-delete" : "profile-update",
    detail: {
      profile: name,
      version: after.version,
      before: fromJsonOrNull(before?.profile ?? null),
      after: fromJsonOrNull(after.profile),
    },
  }
}

const changeProfile = async (
  db: Writer,
  at: number,
  { change, limits }: { readonly change: ProfileChange; readonly limits: ProfileLimits },
): Promise<ProfileOutcome> => {
  const { name, base, by } = change
  const rows = await db.selectFrom("profiles").selectAll().execute()
  const current = rows.find((row) => row.name === name)
  if (!isBase(current, base)) return { kind: "conflict" }
  const profile = change.profile === null ? null : toJson(change.profile)
  if (profile !== null && !hasRoom(rows, { name, profile }, limits)) return { kind: "full" }
  const next = { name, version: (current?.version ?? 0) + 1, profile, updated_at: at, updated_by: by }
  if (!(await writeRow(db, current, next))) return { kind: "conflict" }
  await insertAudit(db, at, auditOf(change, current, next))
  return { kind: "changed", version: next.version, updatedAt: toIso(at), updatedBy: by }
}

export const createProfiles = (database: Database) => ({
  /** Returns the profiles, by name. */
  list: async () =>
    (await database.read((db) => db.selectFrom("profiles").selectAll().orderBy("name").execute())).flatMap(rowOf),
  /** Creates, replaces or deletes a profile, with a row of the audit that contains both versions. */
  change: (change: ProfileChange, limits: ProfileLimits) =>
    database.write((db) => changeProfile(db, database.now(), { change, limits })),
})

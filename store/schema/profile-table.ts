import { describeTable, type RowOf } from "../columns/describe-table.ts"
import { json, number, orNull, text, time } from "../columns/kinds.ts"

export const profileTable = describeTable({
  name: text,
  /** Higher after each change, and never used twice for one name. */
  version: number,
  /** As it was stored; the reader validates it. Null after it was deleted. */
  profile: orNull(json<unknown>()),
  updatedAt: time,
  updatedBy: text,
})

/** A profile that was created while Adjutant ran. */
export type ProfileRow = RowOf<typeof profileTable>

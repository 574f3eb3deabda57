import { describeTable, type NewOf, type RowOf } from "../columns/describe-table.ts"
import { json, number, orNull, text, time } from "../columns/kinds.ts"

export const grantTable = describeTable({
  id: { ...text, create: "required" },
  sessionId: { ...text, create: "required", isJoined: true },
  sessionNum: { ...number, isHidden: true },
  tool: { ...text, create: "required" },
  /** Patterns by argument. */
  arguments: { ...json<Readonly<Record<string, string>>>(), create: "required" },
  createdBy: { ...text, create: "required" },
  createdVia: { ...text, create: "required" },
  createdAt: time,
  expiresAt: { ...time, create: "required" },
  revokedAt: orNull(time),
  revokedBy: orNull(text),
})

/** A standing decision: calls of the tool whose arguments match the patterns run without another decision, until it expires or is revoked. */
export type GrantRow = RowOf<typeof grantTable>
export type NewGrant = NewOf<typeof grantTable>

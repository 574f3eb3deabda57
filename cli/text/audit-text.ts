import type { AuditEntry } from "../../contracts/http/audit.ts"
import { isRecord } from "../../domain/text/is-record.ts"
import { decidedText, oneLine } from "../terminal/plain-text.ts"
import { table } from "./table.ts"

interface AuditPage {
  readonly items: readonly AuditEntry[]
  readonly next_cursor: string | null
}

type Detail = Readonly<Record<string, unknown>>

const valueText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

/** Returns which calls were decided and how: `accept call_1, call_2; reject call_3`. */
const decisionsText = (decisions: Detail): readonly string[] => {
  const byAction = Map.groupBy(Object.entries(decisions), ([, action]) => valueText(action))
  return [...byAction].map(([action, calls]) => `${action} ${calls.map(([id]) => id).join(", ")}`)
}

const partsOf = ([name, value]: readonly [string, unknown]): readonly string[] => {
  if (name === "decisions" && isRecord(value)) return decisionsText(value)
  if (name === "all") return [`${valueText(value)} all`]
  if (name === "calls" && Array.isArray(value)) return [`calls: ${value.map(valueText).join(", ")}`]
  return [`${name.replaceAll("_", " ")}: ${valueText(value)}`]
}

/** Returns all details of an audit entry for people: whether the decision was ignored, then what was decided about each call, then the rest. */
export const auditDetailText = ({ ignored, decisions, ...rest }: Detail): string =>
  [
    ...(ignored === undefined ? [] : partsOf(["ignored", ignored])),
    ...(decisions === undefined ? [] : partsOf(["decisions", decisions])),
    ...Object.entries(rest).flatMap(partsOf),
  ].join("; ")

const rowOf = (entry: AuditEntry): readonly string[] => [
  entry.at,
  entry.session_id,
  entry.action,
  oneLine(decidedText(entry.by), 40),
  entry.actor,
  entry.via,
  // Whole: what was decided is the point of the list.
  oneLine(decidedText(auditDetailText(entry.detail)), Number.MAX_SAFE_INTEGER),
]

/** Returns a page of the audit log as a table. The hashes are in the JSON. */
export const auditText = ({ items, next_cursor: next }: AuditPage): string => {
  if (items.length === 0) return "No entries."
  const rows = table(["AT", "TASK", "ACTION", "BY", "ACTOR", "VIA", "DETAIL"], items.map(rowOf))
  return next === null ? rows : `${rows}\n\nMore: repeat the command with --cursor ${next}`
}

import { isRecord } from "../../domain/text/is-record.ts"

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

/** Returns the details of an audit entry for people, whole: what was decided about each call first, and whether it was ignored before that. */
export const auditDetailText = ({ ignored, decisions, ...rest }: Detail): string =>
  [
    ...(ignored === undefined ? [] : partsOf(["ignored", ignored])),
    ...(decisions === undefined ? [] : partsOf(["decisions", decisions])),
    ...Object.entries(rest).flatMap(partsOf),
  ].join("; ")

import type { Finding } from "../../server/diagnose/finding.ts"
import { oneLine } from "./plain-text.ts"

const marks = { ok: "ok  ", warn: "WARN", fail: "FAIL" } as const satisfies Record<Finding["status"], string>

/** One line per finding, what to do about it below. */
export const findingsText = (findings: readonly Finding[]): string => {
  const width = Math.max(...findings.map(({ name }) => name.length))
  return findings
    .flatMap(({ name, status, detail, hint }) => [
      `${marks[status]}  ${name.padEnd(width)}  ${oneLine(detail, 1_000)}`,
      ...(hint === undefined ? [] : [`      ${" ".repeat(width)}  → ${oneLine(hint, 300)}`]),
    ])
    .join("\n")
}

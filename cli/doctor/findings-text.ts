import type { Finding } from "../../server/diagnose/finding.ts"
import { noPaint, type Paint } from "../terminal/paint.ts"
import { oneLine } from "../terminal/plain-text.ts"

const marks = { ok: "ok  ", warn: "WARN", fail: "FAIL" } as const satisfies Record<Finding["status"], string>

/** Returns one line per finding, with what to do about it below. */
export const findingsText = (findings: readonly Finding[], paint: Paint = noPaint): string => {
  const colour = { ok: paint.green, warn: paint.yellow, fail: paint.red }
  const width = Math.max(...findings.map(({ name }) => name.length))
  return findings
    .flatMap(({ name, status, detail, hint }) => [
      `${colour[status](marks[status])}  ${name.padEnd(width)}  ${oneLine(detail, 1_000)}`,
      ...(hint === undefined ? [] : [`      ${" ".repeat(width)}  → ${oneLine(hint, 300)}`]),
    ])
    .join("\n")
}

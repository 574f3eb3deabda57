export const hourMs = 3_600_000
export const dayMs = 86_400_000

const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: hourMs, d: dayMs }
const part = /(\d+(?:\.\d+)?)(ms|s|m|h|d)/y

/** Returns the milliseconds of a duration such as `90m`, `24h` or `1h30m`; 0 for `off`; undefined for any other text. */
export const parseDuration = (text: string): number | undefined => {
  const trimmed = text.trim().toLowerCase()
  if (trimmed === "off") return 0
  if (trimmed === "" || trimmed.length > 100) return undefined
  let total = 0
  part.lastIndex = 0
  let end = 0
  while (end < trimmed.length) {
    const match = part.exec(trimmed)
    if (match === null) return undefined
    total += Number(match[1]) * (unitMs[match[2] ?? ""] ?? Number.NaN)
    end = part.lastIndex
  }
  return Number.isSafeInteger(Math.round(total)) ? Math.round(total) : undefined
}

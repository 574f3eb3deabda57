import type { Usage } from "../../contracts/usage.ts"
import { moneyText, tokensText } from "../../domain/text/figures.ts"

/** Returns a cost for people. Small amounts keep their significant digits. */
export const costText = (costUsd: number | null): string => moneyText(costUsd) ?? "cost unknown"

/** Returns `tokens 12.3k (in 10.1k / out 2.2k) · $0.04`. */
export const usageWithCost = (usage: Usage): string => `${tokensText(usage)} · ${costText(usage.cost_usd)}`

/** Returns the time between a moment and `now` (in milliseconds) in its largest whole unit: `3m`. */
export const elapsedText = (iso: string, now: number): string => {
  const seconds = Math.max(0, Math.round((now - Date.parse(iso)) / 1000))
  if (seconds < 60) return `${seconds}s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}h`
  return `${Math.floor(seconds / 86_400)}d`
}

/** Returns how long a moment is before `now`: `3m ago`. */
export const agoText = (iso: string, now: number): string => `${elapsedText(iso, now)} ago`

const isoTime = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z`

/** Returns a text whose moments are ages: `created 3m ago`, `for 3m`, `in 2m`. */
export const withAges = (text: string, now: number): string =>
  text
    .replaceAll(new RegExp(`\\bsince (${isoTime})`, "g"), (_, iso: string) => `for ${elapsedText(iso, now)}`)
    .replaceAll(new RegExp(`(?:at )?(${isoTime})`, "g"), (_, iso: string) => {
      const at = Date.parse(iso)
      return at > now ? `in ${elapsedText(new Date(now).toISOString(), at)}` : agoText(iso, now)
    })

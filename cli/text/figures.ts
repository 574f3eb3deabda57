import type { Usage } from "../../contracts/usage.ts"
import { countText, moneyText } from "../../domain/text/figures.ts"

/** `$0.04`, or that the price is unknown. */
export const costText = (costUsd: number | null): string => moneyText(costUsd) ?? "cost unknown"

/** `tokens 12.3k (in 10.1k / out 2.2k) · $0.04`. */
export const usageText = (usage: Usage): string => {
  const input = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
  const tokens = `tokens ${countText(input + usage.output_tokens)} (in ${countText(input)} / out ${countText(usage.output_tokens)})`
  return `${tokens} · ${costText(usage.cost_usd)}`
}

export const stepsText = (steps: number): string => (steps === 1 ? "1 step" : `${steps} steps`)

/** `3 min ago`: how long before `now` (both in milliseconds). */
export const agoText = (iso: string, now: number): string => {
  const seconds = Math.max(0, Math.round((now - Date.parse(iso)) / 1000))
  if (seconds < 60) return `${seconds}s ago`
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ago`
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}h ago`
  return `${Math.floor(seconds / 86_400)}d ago`
}

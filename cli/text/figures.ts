import type { Usage } from "../../contracts/usage.ts"

/** `0.1s`, `12s`, `5m12s`, `2h03m`. */
export const durationText = (ms: number): string => {
  const seconds = Math.max(0, ms) / 1000
  if (seconds < 9.95) return `${seconds.toFixed(1)}s`
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole}s`
  if (whole < 3600) return `${Math.floor(whole / 60)}m${two(whole % 60)}s`
  return `${Math.floor(whole / 3600)}h${two(Math.floor((whole % 3600) / 60))}m`
}

const two = (value: number): string => String(value).padStart(2, "0")

/** `950`, `12.3k`, `1.2m`. */
export const countText = (count: number): string => {
  if (count < 1000) return String(count)
  if (count < 999_950) return `${(count / 1000).toFixed(1)}k`
  return `${(count / 1_000_000).toFixed(1)}m`
}

/** Small sums keep the digits that say something. */
export const costText = (costUsd: number | null): string => {
  if (costUsd === null) return "cost unknown"
  if (costUsd === 0) return "$0.00"
  return costUsd < 0.01 ? `$${costUsd.toFixed(4)}` : `$${costUsd.toFixed(2)}`
}

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

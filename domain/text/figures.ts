import type { Usage } from "../../contracts/usage.ts"

const two = (value: number): string => String(value).padStart(2, "0")

/** Returns a duration as `0.1s`, `12s`, `5m12s` or `2h03m`. */
export const durationText = (ms: number): string => {
  const seconds = Math.max(0, ms) / 1_000
  if (seconds < 9.95) return `${seconds.toFixed(1)}s`
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole}s`
  if (whole < 3_600) return `${Math.floor(whole / 60)}m${two(whole % 60)}s`
  return `${Math.floor(whole / 3_600)}h${two(Math.floor((whole % 3_600) / 60))}m`
}

/** Returns a count as `950`, `12.3k` or `1.2m`. */
export const countText = (count: number): string => {
  if (count < 1_000) return String(count)
  return count < 999_950 ? `${(count / 1_000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(1)}m`
}

/** Returns token counts as `tokens 12.3k (in 10.1k / out 2.2k)`; cached tokens count as input. */
export const tokensText = (usage: Usage): string => {
  const input = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
  return `tokens ${countText(input + usage.output_tokens)} (in ${countText(input)} / out ${countText(usage.output_tokens)})`
}

/** Returns an amount as `$0.04`, with four decimals below one cent; undefined if the price is unknown. */
export const moneyText = (costUsd: number | null): string | undefined => {
  if (costUsd === null) return undefined
  return costUsd > 0 && costUsd < 0.01 ? `$${costUsd.toFixed(4)}` : `$${costUsd.toFixed(2)}`
}

/** Returns `1 step`, `2 steps`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

/** Returns `once`, `2 times`. */
export const timesText = (count: number): string => (count === 1 ? "once" : `${count} times`)

/** Returns usage as `tokens 12.3k (in 10.1k / out 2.2k) · cost $0.04`; without the cost if a price is unknown. */
export const usageText = (usage: Usage): string => {
  const cost = moneyText(usage.cost_usd)
  return cost === undefined ? tokensText(usage) : `${tokensText(usage)} · cost ${cost}`
}

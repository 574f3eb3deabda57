const two = (value: number): string => String(value).padStart(2, "0")

/** `0.1s`, `12s`, `5m12s`, `2h03m`. */
export const durationText = (ms: number): string => {
  const seconds = Math.max(0, ms) / 1_000
  if (seconds < 9.95) return `${seconds.toFixed(1)}s`
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole}s`
  if (whole < 3_600) return `${Math.floor(whole / 60)}m${two(whole % 60)}s`
  return `${Math.floor(whole / 3_600)}h${two(Math.floor((whole % 3_600) / 60))}m`
}

/** `950`, `12.3k`, `1.2m`. */
export const countText = (count: number): string => {
  if (count < 1_000) return String(count)
  return count < 999_950 ? `${(count / 1_000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(1)}m`
}

/** `$0.04`, and for less than a cent the digits that say something. Undefined where the price is unknown. */
export const moneyText = (costUsd: number | null): string | undefined => {
  if (costUsd === null) return undefined
  return costUsd > 0 && costUsd < 0.01 ? `$${costUsd.toFixed(4)}` : `$${costUsd.toFixed(2)}`
}

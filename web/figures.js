export const money = (usd) => (usd === null || usd === undefined ? "cost unknown" : `$${usd.toFixed(usd < 1 ? 4 : 2)}`)

export const counted = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`

export const elapsed = (fromIso, toIso) => {
  const seconds = Math.max(
    0,
    Math.round(((toIso === undefined ? Date.now() : Date.parse(toIso)) - Date.parse(fromIso)) / 1_000),
  )
  if (seconds < 60) return `${seconds}s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m ${seconds % 60}s`
  return `${Math.floor(seconds / 3_600)}h ${Math.floor((seconds % 3_600) / 60)}m`
}

export const tokens = (usage) => {
  const count = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens + usage.output_tokens
  return count < 1_000 ? `${count} tokens` : `${(count / 1_000).toFixed(1)}k tokens`
}

export const isFinal = (status) => ["completed", "failed", "cancelled", "timed_out"].includes(status)

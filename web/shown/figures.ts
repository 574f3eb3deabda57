import type { Usage } from "../../contracts/usage.ts"

export const money = (usd: number | null): string =>
  usd === null ? "cost unknown" : `$${usd.toFixed(usd < 1 ? 4 : 2)}`

export const duration = (ms: number): string => {
  const seconds = Math.max(0, Math.round(ms / 1_000))
  if (ms < 950) return `${Math.max(0, Math.round(ms))}ms`
  if (seconds < 60) return `${seconds}s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m ${seconds % 60}s`
  return `${Math.floor(seconds / 3_600)}h ${Math.floor((seconds % 3_600) / 60)}m`
}

/** Returns a time since or until a moment, in whole seconds. */
export const elapsed = (fromIso: string, toMs: number): string =>
  duration(Math.max(1, Math.round((toMs - Date.parse(fromIso)) / 1_000)) * 1_000)

const thousands = (count: number): string => (count < 1_000 ? String(count) : `${(count / 1_000).toFixed(1)}k`)

export const tokens = (count: number): string => `${thousands(count)} tokens`

export const totalTokensText = (usage: Usage): string =>
  tokens(usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens + usage.output_tokens)

const hoursAndMinutes = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" })

/** Returns a moment as the time of day where the person is: `14:05`. */
export const timeOfDay = (ms: number): string => hoursAndMinutes.format(ms)

/** Counts per key in windows of one minute. Counts are dropped at the end of their window, so that memory is bounded by the keys of one window. */
export interface RateLimiter {
  /** Counts `calls` (default: one). Returns the seconds until the next window if the key has used up its share, otherwise undefined. */
  take(key: string, most: number, calls?: number): number | undefined
  /** Returns the same without counting. */
  look(key: string, most: number): number | undefined
}

const windowMs = 60_000
const mostKeys = 100_000

export const createRateLimiter = (now: () => number): RateLimiter => {
  let counts = new Map<string, number>()
  let window = 0
  const current = (): number => {
    const nowMs = now()
    if (Math.floor(nowMs / windowMs) !== window || counts.size > mostKeys) {
      window = Math.floor(nowMs / windowMs)
      counts = new Map()
    }
    return nowMs
  }
  const secondsLeft = (nowMs: number): number => Math.max(1, Math.ceil(((window + 1) * windowMs - nowMs) / 1_000))
  return {
    take: (key, most, calls = 1) => {
      const nowMs = current()
      const count = (counts.get(key) ?? 0) + calls
      counts.set(key, count)
      return count > most ? secondsLeft(nowMs) : undefined
    },
    look: (key, most) => {
      const nowMs = current()
      return (counts.get(key) ?? 0) >= most ? secondsLeft(nowMs) : undefined
    },
  }
}

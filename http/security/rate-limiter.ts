/** Counts per key in windows of a minute; all counts end with their window, so that memory is bounded by one window's keys. */
export interface RateLimiter {
  /** Seconds until the next window where the key has used up its share, else undefined. Counts the call. */
  take(key: string, most: number): number | undefined
  /** The same without counting. */
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
    take: (key, most) => {
      const nowMs = current()
      const count = (counts.get(key) ?? 0) + 1
      counts.set(key, count)
      return count > most ? secondsLeft(nowMs) : undefined
    },
    look: (key, most) => {
      const nowMs = current()
      return (counts.get(key) ?? 0) >= most ? secondsLeft(nowMs) : undefined
    },
  }
}

/** A message of the engine's library about a request that it has repeated, without the reason. */
const repeated = /^gRPC call \S+ retried \d+ times$/

/** The part of its reason that says what failed. */
const status = /code: (\w+), message: "([^"]*)"/

const shownEveryMs = 60_000

/** How an entry about a repeated request is logged. */
export interface RepeatedRequest {
  readonly message: string
  /** Whether the same failure was shown shortly before. */
  readonly isKnown: boolean
}

/**
 * Returns a function that recognises the entries about repeated requests. Each of many polls is reported on its own: while Temporal cannot be reached, that
 * makes 200 lines a minute, among which nobody finds anything else. `now` in milliseconds.
 */
export const createRetryReader = (now: () => number = () => performance.now()) => {
  const shownAt = new Map<string, number>()
  return (message: string, reason: string): RepeatedRequest | undefined => {
    if (!repeated.test(message)) return undefined
    const [, code = "", detail = ""] = status.exec(reason) ?? []
    const failure = code === "" ? reason.slice(0, 200) : `${code}, ${detail}`
    const last = shownAt.get(code)
    const isKnown = last !== undefined && now() - last < shownEveryMs
    if (!isKnown) shownAt.set(code, now())
    return { message: `requests to Temporal fail and are repeated until they succeed: ${failure}`, isKnown }
  }
}

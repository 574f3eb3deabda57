import { tighter } from "../narrow-limits.ts"

/** What a provider accepts from one key. */
export interface ProviderLimits {
  readonly requestsPerMinute?: number | undefined
  readonly tokensPerMinute?: number | undefined
  /** Calls at a time. */
  readonly concurrent?: number | undefined
}

const smaller = (left: number | undefined, right: number | undefined): number | undefined =>
  tighter(left ?? null, right ?? null) ?? undefined

/** Returns the limits of a key that several models name: the smallest of each. */
export const tighterLimits = (left: ProviderLimits, right: ProviderLimits): ProviderLimits => ({
  requestsPerMinute: smaller(left.requestsPerMinute, right.requestsPerMinute),
  tokensPerMinute: smaller(left.tokensPerMinute, right.tokensPerMinute),
  concurrent: smaller(left.concurrent, right.concurrent),
})

/** What a key has used and not yet been given back by time: `requests` and `tokens` decrease at the rate of their limits. Times are milliseconds since 1970. */
export interface KeyUse {
  readonly requests: number
  readonly tokens: number
  /** The time for which they are right. */
  readonly atMs: number
  /** The provider refused a call until then; 0: it did not. */
  readonly blockedUntilMs: number
}

const minuteMs = 60_000
const minuteSeconds = 60

/** Calls that may start at the same moment, what a second brings: providers that enforce a rate per second accept them, too. */
const burstOf = (requestsPerMinute: number): number => Math.max(1, Math.floor(requestsPerMinute / minuteSeconds))

/** Requests per millisecond. With the burst, no minute has more than the limit. */
const requestRate = (requestsPerMinute: number): number =>
  (requestsPerMinute - burstOf(requestsPerMinute) + 1) / minuteMs

/** Returns the use at another time. After a clock went back, nothing is given back, and a refusal lasts no longer than it was to last. */
export const useAt = (use: KeyUse, limits: ProviderLimits, nowMs: number): KeyUse => {
  const { requestsPerMinute, tokensPerMinute } = limits
  const passedMs = Math.max(0, nowMs - use.atMs)
  return {
    ...use,
    requests:
      requestsPerMinute === undefined ? 0 : Math.max(0, use.requests - passedMs * requestRate(requestsPerMinute)),
    tokens: tokensPerMinute === undefined ? 0 : Math.max(0, use.tokens - (passedMs * tokensPerMinute) / minuteMs),
    atMs: nowMs,
    blockedUntilMs: Math.max(0, use.blockedUntilMs - Math.max(0, use.atMs - nowMs)),
  }
}

/** Returns the use with one more call. */
export const withCall = (use: KeyUse, tokens: number): KeyUse => ({
  ...use,
  requests: use.requests + 1,
  tokens: use.tokens + tokens,
})

/** Returns the use with one call less: it was not made. */
export const withoutCall = (use: KeyUse, tokens: number): KeyUse => ({
  ...use,
  requests: Math.max(0, use.requests - 1),
  tokens: Math.max(0, use.tokens - tokens),
})

/** Returns when the next call may start: when the requests before it leave room, and the tokens before it are given back but for a second's. */
export const nextStartMs = (use: KeyUse, { requestsPerMinute, tokensPerMinute }: ProviderLimits): number => {
  const requestsMs =
    requestsPerMinute === undefined
      ? 0
      : (use.requests + 1 - burstOf(requestsPerMinute)) / requestRate(requestsPerMinute)
  const tokensMs =
    tokensPerMinute === undefined ? 0 : ((use.tokens - tokensPerMinute / minuteSeconds) * minuteMs) / tokensPerMinute
  return Math.max(use.atMs + Math.round(Math.max(0, requestsMs, tokensMs)), use.blockedUntilMs)
}

/** Returns the use after the provider refused a call although the limits allowed it: no call starts before the time it named, and then one by one. */
export const afterRefusal = (use: KeyUse, { requestsPerMinute }: ProviderLimits, untilMs: number): KeyUse => ({
  ...use,
  blockedUntilMs: Math.max(use.blockedUntilMs, untilMs),
  requests: requestsPerMinute === undefined ? use.requests : Math.max(use.requests, burstOf(requestsPerMinute) - 1),
})

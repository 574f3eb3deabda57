import { type KeyUse, nextStartMs, type ProviderLimits, useAt, withCall } from "./provider-limits.ts"

/** A call of a key that has not ended: it runs, or waits for its time. */
export interface KeyCall {
  /** Its place in the queue. */
  readonly ticket: number
  readonly isCalling: boolean
  /** When it started, or when it is to start. */
  readonly startMs: number
  readonly tokens: number
}

export interface RateQuestion {
  readonly limits: ProviderLimits
  readonly use: KeyUse
  /** How long calls of the key take. */
  readonly callMs: number
  /** The other calls of the key. */
  readonly others: readonly KeyCall[]
  /** The call itself if it asked before. */
  readonly own: Pick<KeyCall, "ticket" | "startMs"> | undefined
  readonly tokens: number
  readonly nowMs: number
}

/** Whether a call starts now. Otherwise when it is to start, and after which time it asks again. */
export type CallPlan =
  | { readonly isStarted: true; readonly use: KeyUse }
  | { readonly isStarted: false; readonly use: KeyUse; readonly startMs: number; readonly waitMs: number }

/** A timer can fire a little early. A call that asks this early before its time starts. */
const slackMs = 20
/** The longest time after which a waiting call asks again: meanwhile, limits may have been raised, or calls ahead of it cancelled. */
export const longestWaitMs = 60_000
/** The first call in the queue for a slot asks more often, since nobody knows when a running call ends. */
const longestSlotWaitMs = 10_000
const shortestSlotWaitMs = 250

/** Returns the calls that come before this one. */
const callsAhead = ({ others, own }: RateQuestion): readonly KeyCall[] =>
  others
    .filter(({ isCalling, ticket }) => !isCalling && (own === undefined || ticket < own.ticket))
    .toSorted((left, right) => left.ticket - right.ticket)

/**
 * Returns whether the call can start now without making a call ahead of it wait longer. A call whose own time has come does not wait for calls ahead that
 * are late: their workers may be gone.
 */
const fitsRate = (question: RateQuestion, use: KeyUse, ahead: readonly KeyCall[]): boolean => {
  const { limits, own, tokens, nowMs } = question
  if (nextStartMs(use, limits) > nowMs + slackMs) return false
  if (own !== undefined && own.startMs <= nowMs + slackMs) return true
  const nextMs = nextStartMs(withCall(use, tokens), limits)
  return nextMs <= nowMs + slackMs || ahead.every(({ startMs }) => startMs >= nextMs)
}

/** Returns when the rate allows this call, if every call ahead of it starts at its own time. */
const bookedStartMs = ({ limits }: RateQuestion, use: KeyUse, ahead: readonly KeyCall[]): number => {
  const after = ahead.reduce((before, { startMs, tokens }) => {
    const atMs = Math.max(startMs, nextStartMs(before, limits))
    return withCall(useAt(before, limits, atMs), tokens)
  }, use)
  return nextStartMs(after, limits)
}

/** Returns when a running call probably ends. A call that has already run longer than usual is expected to take a quarter of its time more. */
const endMs = ({ startMs }: KeyCall, { callMs, nowMs }: RateQuestion): number =>
  Math.max(startMs + callMs, nowMs + Math.max(shortestSlotWaitMs, (nowMs - startMs) / 4))

interface SlotPlan {
  readonly isFree: boolean
  readonly startMs: number
  readonly longestWaitMs: number
}

/** Gives slots in the order of the queue. Calls ahead whose time comes only after this call would have ended do not count: it can use their slot before. */
const planSlot = (question: RateQuestion, ahead: readonly KeyCall[]): SlotPlan => {
  const { limits, others, callMs, nowMs } = question
  const { concurrent } = limits
  if (concurrent === undefined) return { isFree: true, startMs: nowMs, longestWaitMs }
  const calling = others.filter(({ isCalling }) => isCalling)
  const before = ahead.filter(({ startMs }) => startMs <= nowMs + callMs).length
  if (calling.length + before < concurrent) return { isFree: true, startMs: nowMs, longestWaitMs }
  const idle = Array.from({ length: Math.max(0, concurrent - calling.length) }, () => nowMs + shortestSlotWaitMs)
  const ends = [...idle, ...calling.map((call) => endMs(call, question))].toSorted((left, right) => left - right)
  const rounds = Math.floor(before / ends.length)
  return {
    isFree: false,
    startMs: (ends[before % ends.length] ?? nowMs) + rounds * callMs,
    longestWaitMs: Math.min(longestWaitMs, longestSlotWaitMs * (before + 1)),
  }
}

/**
 * Decides whether a call with a provider's key starts now. Otherwise it gets a time behind every call that asked earlier. So no call waits endlessly, and
 * the provider gets no more requests than its limits allow.
 */
export const planCall = (question: RateQuestion): CallPlan => {
  const { limits, nowMs, tokens } = question
  const use = useAt(question.use, limits, nowMs)
  const ahead = callsAhead(question)
  const slot = planSlot(question, ahead)
  if (slot.isFree && fitsRate(question, use, ahead)) return { isStarted: true, use: withCall(use, tokens) }
  const startMs = Math.max(slot.startMs, bookedStartMs(question, use, ahead), nowMs + 1)
  const waitMs = Math.ceil(Math.min(startMs - nowMs, slot.longestWaitMs))
  return { isStarted: false, use, startMs, waitMs: Math.max(1, waitMs) }
}

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

export interface CallQuestion {
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

/** Clocks and timers differ by so much: a call that asks this early starts. */
const slackMs = 20
/** A waiting call asks again after so long at the latest: limits can have been raised, and calls before it cancelled. */
export const longestWaitMs = 60_000
/** The first in the queue for a slot asks again after so long at the latest, since nobody knows when a call ends. */
const longestSlotWaitMs = 10_000
const shortestSlotWaitMs = 250

/** Returns the calls that come before this one. */
const callsAhead = ({ others, own }: CallQuestion): readonly KeyCall[] =>
  others
    .filter(({ isCalling, ticket }) => !isCalling && (own === undefined || ticket < own.ticket))
    .toSorted((left, right) => left.ticket - right.ticket)

/** Whether the rate allows a start now that makes no call before it wait longer. One whose time has come does not wait for calls that are late. */
const fitsRate = (question: CallQuestion, use: KeyUse, ahead: readonly KeyCall[]): boolean => {
  const { limits, own, tokens, nowMs } = question
  if (nextStartMs(use, limits) > nowMs + slackMs) return false
  if (own !== undefined && own.startMs <= nowMs + slackMs) return true
  const nextMs = nextStartMs(withCall(use, tokens), limits)
  return nextMs <= nowMs + slackMs || ahead.every(({ startMs }) => startMs >= nextMs)
}

/** Returns the start after all calls before it have taken theirs. */
const bookedStartMs = ({ limits }: CallQuestion, use: KeyUse, ahead: readonly KeyCall[]): number => {
  const after = ahead.reduce((before, { startMs, tokens }) => {
    const atMs = Math.max(startMs, nextStartMs(before, limits))
    return withCall(useAt(before, limits, atMs), tokens)
  }, use)
  return nextStartMs(after, limits)
}

/** Returns when a running call probably ends: after the usual time, or later the longer it has run beyond that. */
const endMs = ({ startMs }: KeyCall, { callMs, nowMs }: CallQuestion): number =>
  Math.max(startMs + callMs, nowMs + Math.max(shortestSlotWaitMs, (nowMs - startMs) / 4))

interface SlotPlan {
  readonly isFree: boolean
  readonly startMs: number
  readonly longestWaitMs: number
}

/** Slots are given in the order of the queue, without those whose time comes only when this call would have ended. */
const planSlot = (question: CallQuestion, ahead: readonly KeyCall[]): SlotPlan => {
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
 * Decides whether a call of a key starts. One that does not is given a time, behind every call that asked before it, so that none waits without end and the
 * provider gets no more than its limits allow.
 */
export const planCall = (question: CallQuestion): CallPlan => {
  const { limits, nowMs, tokens } = question
  const use = useAt(question.use, limits, nowMs)
  const ahead = callsAhead(question)
  const slot = planSlot(question, ahead)
  if (slot.isFree && fitsRate(question, use, ahead)) return { isStarted: true, use: withCall(use, tokens) }
  const startMs = Math.max(slot.startMs, bookedStartMs(question, use, ahead), nowMs + 1)
  const waitMs = Math.ceil(Math.min(startMs - nowMs, slot.longestWaitMs))
  return { isStarted: false, use, startMs, waitMs: Math.max(1, waitMs) }
}

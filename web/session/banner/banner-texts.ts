import type { SessionEvent } from "../../../contracts/event.ts"
import type { Session } from "../../../contracts/session/session.ts"
import { visible } from "../../../domain/text/visible.ts"
import { counted } from "../../../domain/text/figures.ts"
import { elapsed } from "../../shown/figures.ts"
import { eventFields } from "../../state/event-fields.ts"

export interface Banner {
  readonly kind: "bad" | "wait" | "note"
  readonly text: string
  /** Sessions that the text is about. */
  readonly sessionIds?: readonly string[]
  /** Names the wait for the provider that a person can end with a retry; another one after each failed try. */
  readonly providerWait?: string
}

const nextTry = (nextAt: string | null | undefined, now: number): string => {
  if (nextAt === null || nextAt === undefined) return ""
  return Date.parse(nextAt) <= now ? "The next try is due." : `The next try is in ${duration(nextAt, now)}.`
}

const duration = (nextAt: string, now: number): string => elapsed(new Date(now).toISOString(), Date.parse(nextAt))

/** Returns the last failed try of a model call if nothing has come of that call since. */
export const openRetry = (events: readonly SessionEvent[]): SessionEvent | undefined => {
  const last = events.findLast(({ type }) => type !== "steering-applied" && type !== "child-finished")
  return last?.type === "model-retry" ? last : undefined
}

/** Returns a text of others as a sentence, before which and after which others stand. */
const sentence = (text: string): string => {
  const shown = visible(text).trim()
  return shown === "" || /[.!?…]$/.test(shown) ? shown : `${shown}.`
}

const failureText = (message: string): string => {
  const shown = visible(message)
  return shown.startsWith("the run ") ? `T${shown.slice(1)}` : `The run failed: ${shown}`
}

const failureBanner = ({ status, stop_reason: reason, error }: Session): Banner | undefined => {
  // A person wanted it: nothing is wrong.
  if (status === "cancelled")
    return { kind: "note", text: sentence(failureText(error?.message ?? "the run was cancelled")) }
  if (error !== null) return { kind: "bad", text: `${failureText(error.message)} (${error.code})` }
  if (status === "timed_out") return { kind: "bad", text: "The run used up its time." }
  if (status !== "failed" || reason === null) return undefined
  return { kind: "bad", text: `The run failed: ${reason.replaceAll("_", " ")}` }
}

const blockedBanner = (session: Session, now: number): Banner | undefined => {
  const [blocked] = session.blocked_by
  if (blocked === undefined) return undefined
  const since = blocked.since === null ? "" : `for ${elapsed(blocked.since, now)}`
  const reason = sentence(blocked.reason ?? "")
  switch (blocked.type) {
    case "child_paused": {
      const { session_ids: sessionIds = [] } = blocked
      const needs = sessionIds.length === 1 ? "needs" : "need"
      return {
        kind: "wait",
        text: `Has waited ${since} for ${counted(sessionIds.length, "sub-agent")} that ${needs} a person:`,
        sessionIds,
      }
    }
    case "provider_unavailable":
      return {
        kind: "wait",
        text: `The provider has been failing ${since}: ${reason} ${nextTry(blocked.next_at, now)}`.trim(),
        ...providerWaitOf(session),
      }
    case "daily_limit":
      return {
        kind: "wait",
        text: `Has waited ${since} for other calls to end: ${reason} ${nextTry(blocked.next_at, now)}`.trim(),
      }
    case "rate_limit":
      return {
        kind: "wait",
        text: `The provider has been limiting requests ${since}. ${nextTry(blocked.next_at, now)}`.trim(),
      }
    case "worker_busy":
      return { kind: "wait", text: `Has waited ${since} for the worker: ${reason}` }
    case "place":
      return {
        kind: "wait",
        text: `Has waited ${since} for a worker on ${(blocked.machines ?? []).map(visible).join(" or ")}, which has its directory.`,
      }
    case "lane":
      return { kind: "wait", text: `Has waited ${since} for a free slot: other runs use all of them.` }
    case "missing_key":
      return { kind: "wait", text: `Has waited ${since} for a key: ${reason}`, ...providerWaitOf(session) }
    case "store":
    case "engine":
      return { kind: "wait", text: `Waits ${since}: ${reason}` }
  }
}

const providerWaitOf = ({ blocked_by: [blocked] }: Session): Pick<Banner, "providerWait"> =>
  blocked?.type === "provider_unavailable" || blocked?.type === "missing_key"
    ? { providerWait: `${blocked.since} ${blocked.next_at}` }
    : {}

/** Returns what a person has to know first: why the run failed, or what it waits for. */
export const bannerOf = (session: Session, events: readonly SessionEvent[], now: number): Banner | undefined => {
  const known = failureBanner(session) ?? blockedBanner(session, now)
  const retry = session.status === "running" ? openRetry(events) : undefined
  if (retry === undefined || (known !== undefined && known.kind !== "wait")) return known
  const { reason = "", attempt, next_at: nextAt } = eventFields(retry)
  const tried = attempt === undefined ? "" : ` (try ${attempt})`
  const text = `The provider failed${tried}: ${sentence(reason)} ${nextTry(nextAt, now)}`.trim()
  return { kind: "wait", text, ...providerWaitOf(session) }
}

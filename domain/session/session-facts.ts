import type { SessionDetail } from "../../contracts/session/session-detail.ts"
import type { BlockedBy, SessionLimits } from "../../contracts/session/session.ts"
import { changesLine } from "../workspace/worktree/worktree-changes.ts"
import { durationText, moneyText, timesText } from "../text/figures.ts"

/** The name of a fact and its text; null if there is nothing to say. The web page shows those that say so. */
export type Fact = readonly [name: string, text: string | null, where?: "also on the page"]

const usedOfLimit = (used: string, limit: string | null, unit: string): string =>
  limit === null ? `${used} ${unit}, no limit` : `${used} of ${limit} ${unit}`

/** Returns the limits of a run with what it has used: `3 of 30 steps · 12s of 60s running · …`. */
export const limitsText = ({ max_steps, timeout_seconds, budget_usd, budget_tokens }: SessionLimits): string => {
  const time = (seconds: number): string => durationText(seconds * 1_000)
  const money = (usd: number | null): string => moneyText(usd) ?? "unknown"
  const texts = [
    usedOfLimit(String(max_steps.used), String(max_steps.limit), "steps"),
    usedOfLimit(
      time(timeout_seconds.used),
      timeout_seconds.limit === null ? null : time(timeout_seconds.limit),
      "running",
    ),
    ...(budget_usd.limit === null ? [] : [usedOfLimit(money(budget_usd.used), money(budget_usd.limit), "of budget")]),
    ...(budget_tokens.limit === null
      ? []
      : [usedOfLimit(String(budget_tokens.used), String(budget_tokens.limit), "tokens of budget")]),
  ]
  return texts.join(" · ")
}

const awaited: Readonly<Record<BlockedBy["type"], string>> = {
  lane: "a slot of the lane",
  worker_busy: "a slot of the worker",
  child_paused: "sub-agents",
  place: "a worker of its place",
  provider_unavailable: "the provider",
  daily_limit: "calls that run now",
  rate_limit: "the provider's rate limit",
  missing_key: "a key",
  store: "the store",
  engine: "Temporal",
}

const nextText = (next: string | null): string => (next === null ? "" : `; next attempt at ${next}`)

/** Returns what a session waits for, other than an answer of its own: `a slot of the lane, since …`. */
export const blockedText = ({ type, since, reason, next_at: next }: BlockedBy): string =>
  [awaited[type], since === null ? "" : `, since ${since}`, reason === null ? "" : `: ${reason}`, nextText(next)].join(
    "",
  )

const runText = (run: SessionDetail["runs"][number]): string => {
  const reason = run.stop_reason === null || run.stop_reason === run.status ? "" : ` (${run.stop_reason})`
  const start = run.started_at === null ? `accepted ${run.created_at}` : `started ${run.started_at}`
  const end = run.finished_at === null ? "" : `, ended ${run.finished_at}`
  const error = run.error === null ? "" : `: ${run.error.message}`
  const model = run.fallback_model === null ? "" : `, on the fallback model ${run.fallback_model}`
  const { compactions } = run
  const shortened = compactions === 0 ? "" : `, context shortened ${timesText(compactions)}`
  return `${run.run_id} ${run.status}${reason}, ${start}${end}${model}${shortened}${error}`
}

/** Waits that are shorter are part of any work. */
const leastWaitMs = 1_000

interface WorkTimes {
  readonly ranMs: number
  readonly waitedMs: number
}

const sum = (numbers: readonly number[]): number => numbers.reduce((left, right) => left + right, 0)

const lastedMs = ({ started_at: start, finished_at: end }: SessionDetail["runs"][number]): number | undefined =>
  start === null || end === null ? undefined : Date.parse(end) - Date.parse(start)

/** Returns how long the runs of a session worked, and how long those that are over waited. The time between runs is neither. */
export const workTimes = ({ runs }: Pick<SessionDetail, "runs">): WorkTimes => {
  const waits = runs.map((run) => {
    const lasted = lastedMs(run)
    return lasted === undefined ? 0 : Math.max(0, lasted - run.ran_seconds * 1_000)
  })
  const waitedMs = sum(waits)
  return {
    ranMs: sum(runs.map((run) => run.ran_seconds * 1_000)),
    waitedMs: waitedMs < leastWaitMs ? 0 : waitedMs,
  }
}

/** Returns how long the runs of a session worked, without the time between them: `4s, waited 12m10s`. */
const workText = ({ runs }: Pick<SessionDetail, "runs">): string | null => {
  if (runs.length === 0) return null
  const { ranMs, waitedMs } = workTimes({ runs })
  return `${durationText(ranMs)}${waitedMs === 0 ? "" : `, waited ${durationText(waitedMs)}`}`
}

const maxRuns = 20

const runFacts = (runs: SessionDetail["runs"]): readonly Fact[] => [
  ...(runs.length > maxRuns ? [["runs", `${runs.length - maxRuns} earlier ones`] as const] : []),
  ...runs.slice(-maxRuns).map((run) => ["run", runText(run)] as const),
]

/** Returns what a list does not show of a session, in the order in which people read it. */
export const sessionFacts = (session: SessionDetail): readonly Fact[] => [
  ["label", session.label],
  ["error", session.error === null ? null : `${session.error.code}: ${session.error.message}`],
  ...session.warnings.map(({ message }) => ["warning", message, "also on the page"] as const),
  ["blocked by", session.blocked_by.length === 0 ? null : session.blocked_by.map(blockedText).join("; ")],
  ["key", session.session_key],
  ["mode", `${session.mode}, cleanup ${session.cleanup}`],
  ["forked from", session.forked_from],
  ["worktree", session.worktree === undefined ? null : changesLine(session.worktree), "also on the page"],
  ...runFacts(session.runs),
  ["worked", workText(session)],
  ["limits", session.limits === null ? null : limitsText(session.limits)],
  ["created", session.created_at],
  ["updated", session.updated_at],
  ["archived", session.archived_at],
  ["transcript", session.transcript],
  ["temporal", session.temporal_url],
]

/** Returns the facts that the web page shows next to its figures. */
export const pageFacts = (session: SessionDetail): readonly Fact[] =>
  sessionFacts(session).filter(([, , where]) => where === "also on the page")

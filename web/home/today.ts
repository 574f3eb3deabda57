import type { Session } from "../../contracts/session/session.ts"

const dayMs = 24 * 60 * 60 * 1_000

const isRoot = ({ parent_session_id: parent }: Session): boolean => parent === null

/** Returns the tasks that failed within a day, the newest first. A sub-agent that failed is its parent's affair. */
export const failedSince = (sessions: readonly Session[], nowMs: number): readonly Session[] =>
  sessions
    .filter(
      (session) =>
        isRoot(session) &&
        (session.status === "failed" || session.status === "timed_out") &&
        nowMs - Date.parse(session.updated_at) < dayMs,
    )
    .toSorted((left, right) => right.updated_at.localeCompare(left.updated_at))

/** Returns the tasks that work: neither a person nor a message is what they wait for. */
export const runningNow = (sessions: readonly Session[], needsYou: ReadonlySet<string>): readonly Session[] =>
  sessions.filter((session) => isRoot(session) && session.status === "running" && !needsYou.has(session.id))

/** What the sessions of today cost. */
export interface CostToday {
  readonly usd: number
  readonly sessions: number
  /** Some of them have a model of unknown price, or are not listed: it is more. */
  readonly isLeast: boolean
}

/** Returns what the sessions that began today, where the person is, have cost so far. `hasOlder`: more sessions exist than are listed. */
export const costToday = (sessions: readonly Session[], nowMs: number, hasOlder: boolean): CostToday => {
  const midnight = new Date(nowMs).setHours(0, 0, 0, 0)
  const today = sessions.filter(({ created_at: at }) => Date.parse(at) >= midnight)
  const oldest = sessions.reduce((least, { created_at: at }) => Math.min(least, Date.parse(at)), nowMs)
  return {
    usd: today.reduce((sum, { usage }) => sum + (usage.cost_usd ?? 0), 0),
    sessions: today.length,
    isLeast: (hasOlder && oldest >= midnight) || today.some(({ usage }) => usage.cost_usd === null),
  }
}

import type { SessionDetail } from "../../contracts/session/session-detail.ts"

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
  return { ranMs: sum(runs.map((run) => run.ran_seconds * 1_000)), waitedMs: sum(waits) }
}

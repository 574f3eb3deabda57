import { AdjutantError } from "../../../contracts/adjutant-error.ts"
import type { NotifyOn } from "../../../contracts/config/notify.ts"
import type { RunSnapshot } from "../../../contracts/run-snapshot.ts"
import { didYouMean } from "../../../domain/text/suggest.ts"
import { withoutUndefined } from "../../../domain/without-undefined.ts"

interface NotifyChoice {
  /** The destinations that the request names, for everything about the run. */
  readonly asked: readonly string[] | undefined
  /** What the profile says instead of the origin. */
  readonly profile: Partial<NotifyOn> | undefined
}

/**
 * Returns where messages about a run go: to the destinations that the request names, else those of its profile, else those of its origin.
 * @throws AdjutantError `invalid_argument` for a destination that is not configured
 */
export const resolveNotify = (
  { asked, profile = {} }: NotifyChoice,
  notify: RunSnapshot["notify"],
): RunSnapshot["notify"] => {
  const known = Object.keys(notify?.destinations ?? {})
  const unknown = asked?.find((name) => !known.includes(name))
  if (unknown !== undefined)
    throw new AdjutantError("invalid_argument", `there is no ${unknown} in notify${didYouMean(unknown, known)}`)
  if (notify === undefined) return undefined
  if (asked === undefined) return { ...notify, on: { ...notify.on, ...withoutUndefined(profile) } }
  const names = [...asked]
  return { ...notify, on: { approval: names, question: names, failed: names, finished: names } }
}

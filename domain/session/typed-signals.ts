/** A signal that an operator sent and that changed nothing. `ordinal` counts the operators' signals of this name in one execution, from 1. */
export interface IgnoredSignal {
  readonly name: string
  readonly ordinal: number
  /** Why it was ignored. */
  readonly reason: string
}

/** The operators' signals that one execution has handled. */
export interface TypedSignals {
  /** How many, by name. */
  readonly handled: Readonly<Record<string, number>>
  readonly ignored: readonly IgnoredSignal[]
}

export const noTypedSignals: TypedSignals = { handled: {}, ignored: [] }

const maxIgnored = 200
const maxReason = 300

const handledOf = ({ handled }: TypedSignals, name: string): number =>
  Object.hasOwn(handled, name) ? (handled[name] ?? 0) : 0

/** Counts a signal. `problem`: why it was ignored. Only the latest ignored ones are kept. */
export const countTypedSignal = (typed: TypedSignals, name: string, problem: string | undefined): TypedSignals => {
  const ordinal = handledOf(typed, name) + 1
  const ignored = problem === undefined ? [] : [{ name, ordinal, reason: problem.slice(0, maxReason) }]
  return {
    handled: { ...typed.handled, [name]: ordinal },
    ignored: [...typed.ignored, ...ignored].slice(-maxIgnored),
  }
}

/** Returns why a signal was ignored; null if it was not; undefined if it was not handled yet. */
export const ignoredReason = (
  typed: TypedSignals,
  { name, ordinal }: Pick<IgnoredSignal, "name" | "ordinal">,
): string | null | undefined =>
  ordinal > handledOf(typed, name)
    ? undefined
    : (typed.ignored.find((each) => each.name === name && each.ordinal === ordinal)?.reason ?? null)

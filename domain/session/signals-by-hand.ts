/** A signal that a person sent by hand and that changed nothing. `ordinal` counts the signals of this name that people sent to one execution, from 1. */
export interface IgnoredSignal {
  readonly name: string
  readonly ordinal: number
  /** Why it was ignored. */
  readonly reason: string
}

/** The signals that people sent to one execution by hand, for example in the Temporal UI, and that it has handled. */
export interface SignalsByHand {
  /** How many, by name. */
  readonly handled: Readonly<Record<string, number>>
  readonly ignored: readonly IgnoredSignal[]
}

export const noSignalsByHand: SignalsByHand = { handled: {}, ignored: [] }

const maxIgnored = 200
const maxReason = 300

const handledOf = ({ handled }: SignalsByHand, name: string): number =>
  Object.hasOwn(handled, name) ? (handled[name] ?? 0) : 0

/** Counts a signal. `problem`: why it was ignored. Only the latest ignored ones are kept. */
export const countSignalByHand = (typed: SignalsByHand, name: string, problem: string | undefined): SignalsByHand => {
  const ordinal = handledOf(typed, name) + 1
  const ignored = problem === undefined ? [] : [{ name, ordinal, reason: problem.slice(0, maxReason) }]
  return {
    handled: { ...typed.handled, [name]: ordinal },
    ignored: [...typed.ignored, ...ignored].slice(-maxIgnored),
  }
}

/** Returns why a signal was ignored; null if it was not; undefined if it was not handled yet. */
export const ignoredReason = (
  typed: SignalsByHand,
  { name, ordinal }: Pick<IgnoredSignal, "name" | "ordinal">,
): string | null | undefined =>
  ordinal > handledOf(typed, name)
    ? undefined
    : (typed.ignored.find((each) => each.name === name && each.ordinal === ordinal)?.reason ?? null)

import type { Checked } from "../../domain/checked.ts"
import { countSignalByHand } from "../../domain/session/signals-by-hand.ts"
import { isUndecodable } from "../payload-converter.ts"
import { type SessionContext, warn } from "../session/session-context.ts"

/** A signal as it arrived. */
interface Signal {
  readonly name: string
  readonly value: unknown
  /** A person sent it by hand: the audit says so, even if it is ignored. */
  readonly isByHand?: boolean
}

/** Counts a signal that was sent by hand. One that is ignored is audited as well. */
const noteByHand = ({ state }: SessionContext, name: string, problem: string | undefined): void => {
  state.signalsByHand = countSignalByHand(state.signalsByHand, name, problem)
  if (problem !== undefined) state.operatorSignals += 1
}

/** Runs a signal's handler on a checked argument; anything else is a visible warning. */
export const onSignal = <T>(
  context: SessionContext,
  signal: Signal,
  check: (value: unknown) => Checked<T>,
  handle: (value: T) => string | undefined,
): void => {
  const checked: Checked<T> = isUndecodable(signal.value)
    ? { ok: false, problem: `could not be decoded (${signal.value.undecodable})` }
    : check(signal.value)
  const problem = checked.ok ? handle(checked.value) : checked.problem
  if (signal.isByHand === true) noteByHand(context, signal.name, problem)
  if (problem !== undefined) warn(context, `signal \`${signal.name}\`: ${problem}`)
}

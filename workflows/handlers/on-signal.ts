import type { Checked } from "../../domain/checked.ts"
import { countTypedSignal } from "../../domain/session/typed-signals.ts"
import { isUndecodable } from "../payload-converter.ts"
import { type SessionContext, warn } from "../session/session-context.ts"

/** A signal as it arrived. */
interface Signal {
  readonly name: string
  readonly value: unknown
  /** An operator sent it: the audit says so, even if it is ignored. */
  readonly isTyped?: boolean
}

/** Counts an operator's signal. One that is ignored is audited as well. */
const noteTyped = ({ state }: SessionContext, name: string, problem: string | undefined): void => {
  state.typedSignals = countTypedSignal(state.typedSignals, name, problem)
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
  if (signal.isTyped === true) noteTyped(context, signal.name, problem)
  if (problem !== undefined) warn(context, `signal \`${signal.name}\`: ${problem}`)
}

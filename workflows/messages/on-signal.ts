import type { Checked } from "../../domain/operator/operator-argument.ts"
import { isUndecodable } from "../payload-converter.ts"
import { type SessionContext, warn } from "../agent/session-context.ts"

/** Runs a signal's handler on a checked argument; anything else is a visible warning. */
export const onSignal = <T>(
  context: SessionContext,
  signal: { readonly name: string; readonly value: unknown },
  check: (value: unknown) => Checked<T>,
  handle: (value: T) => string | undefined,
): void => {
  const checked: Checked<T> = isUndecodable(signal.value)
    ? { ok: false, problem: `could not be decoded (${signal.value.undecodable})` }
    : check(signal.value)
  const problem = checked.ok ? handle(checked.value) : checked.problem
  if (problem !== undefined) warn(context, `signal \`${signal.name}\`: ${problem}`)
}

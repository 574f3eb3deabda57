import { startOf } from "../../../domain/text/foreign/well-formed.ts"
import type { CallResult } from "../call-manner.ts"

const maxMessage = 2_000

/** Returns the result of a call that is the whole run, and with which the run fails. */
export const failedRunCall = (failure: {
  readonly code: string
  readonly message: string
  readonly stopReason?: "timeout"
  /** What there was of a result. */
  readonly partial?: string
}): CallResult => ({
  content: failure.partial ?? "",
  failure: {
    stopReason: failure.stopReason ?? "error",
    error: { code: failure.code, message: startOf(failure.message, maxMessage) },
  },
})

import type { OutcomeDocument } from "../../contracts/session/outcome-document.ts"
import type { StopReason } from "../../contracts/status.ts"
import { advise, type Limit } from "./advise.ts"
import { withAdvice, withoutAdvice } from "./explain.ts"
import type { Surface } from "./surface.ts"

const limitOf = (reason: StopReason | null): Limit | undefined =>
  reason === "max_steps" || reason === "budget" || reason === "timeout" ? reason : undefined

/** Returns whether an error says that a limit of the run itself was reached: neither a daily limit of the store nor the time limit of a pause. */
const isOwnLimit = (message: string): boolean => /^the (?:run reached its|run's budget|budget does not)/.test(message)

/** Returns what a reader can do about the limit that ended a run. */
export const limitAdvice = (
  {
    stopReason,
    error,
  }: { readonly stopReason: StopReason | null; readonly error: { readonly message: string } | null },
  surface: Surface,
): string | undefined => {
  const limit = limitOf(stopReason)
  if (limit === undefined || (error !== null && !isOwnLimit(error.message))) return undefined
  return advise({ about: "limit", limit }, surface)
}

/** Returns what can be done on the command line about a pause whose question is for a higher budget. */
export const budgetAdvice = (question: string): string | undefined =>
  /^the budget (?:of this run is used up|does not cover)/i.test(question)
    ? advise({ about: "limit", limit: "budget" }, { kind: "cli" })
    : undefined

/** Returns an outcome whose error says what can be done here about the limit that ended the run. */
export const withLimitAdvice = (document: OutcomeDocument, kind: "cli" | "http"): OutcomeDocument => {
  if (document.outcome !== "failed") return document
  const run = { stopReason: document.stop_reason, error: document.error }
  const advice = limitAdvice(run, { kind })
  if (advice === undefined) return document
  // A command line gets the document of a server, with the advice for a program.
  const message = withAdvice(withoutAdvice(document.error.message, limitAdvice(run, { kind: "http" })), advice)
  return { ...document, error: { ...document.error, message } }
}

import { ActivityFailure, ApplicationFailure } from "@temporalio/workflow"
import { afterAnswer, afterFailure, fallbackFor } from "../../domain/run/model-fallback.ts"
import type { OutageFailure } from "../../domain/run/provider-outage.ts"
import { emit } from "../../domain/session/session-state.ts"
import type { SessionContext } from "../session/session-context.ts"
import { dropOutage, noteOutage, providerFailureOf } from "./wait-for-provider.ts"
import { fallbackInUse, modelInUse, primaryModel } from "../session/model-in-use.ts"

/** Returns why a model did not take the step; undefined for a failure that is none of the model: a cancel, a bug, the store. */
const modelRefusal = (error: unknown): string | undefined => {
  const cause = error instanceof ActivityFailure ? error.cause : undefined
  if (!(cause instanceof ApplicationFailure)) return undefined
  const isOfModel = ["provider_error", "model_not_found", "key_missing", "price_unknown"].includes(cause.type ?? "")
  return isOfModel ? cause.message : undefined
}

const hasAnswered = ({ state: { run } }: SessionContext, model: string): boolean =>
  run.answeredBy === model || run.fallback?.worked.includes(model) === true

/** Lets the next model take the step. */
const changeModel = (
  context: SessionContext,
  { failure, reason }: { readonly failure: OutageFailure | undefined; readonly reason: string },
): { readonly isExhausted: boolean } => {
  const { run } = context.state
  const primary = primaryModel(context)
  const from = modelInUse(context)
  const before = fallbackFor(run.fallback, primary)
  const worked = run.answeredBy === from && !before.worked.includes(from) ? [...before.worked, from] : before.worked
  const fallbacks = context.settings?.fallbacks?.[primary] ?? []
  const { state, isExhausted } = afterFailure({ ...before, worked }, { failure, fallbacks })
  run.fallback = state
  if (state.model !== from) emit(run, "model-changed", { step: run.stepsTaken, from, to: state.model, reason })
  return { isExhausted }
}

/** Notes a failure of a model that has fallback models, or is one. */
const noteFailureOfOne = (context: SessionContext, error: unknown): boolean => {
  const model = modelInUse(context)
  const failure = providerFailureOf(error)
  const isAway = failure !== undefined && (!failure.needsWorkingKey || hasAnswered(context, model))
  // A fallback model that never answered is skipped, whatever it fails for: the run's own model is only unavailable.
  const isSkipped = !isAway && fallbackInUse(context) !== undefined && !hasAnswered(context, model)
  const reason = failure?.reason ?? modelRefusal(error)
  if (reason === undefined || (!isAway && !isSkipped)) return false
  const { isExhausted } = changeModel(context, { failure: isAway ? failure : undefined, reason })
  return isExhausted ? noteOutage(context, context.state.run.fallback?.failure ?? failure) : true
}

/**
 * Notes that a model call failed because the provider is unavailable: a fallback model takes the step, or else it is taken again after a wait. Returns false
 * for any other failure, and for a run that has waited as long as it may.
 */
export const noteFailure = (context: SessionContext, error: unknown): boolean =>
  context.settings?.fallbacks?.[primaryModel(context)] === undefined
    ? noteOutage(context, providerFailureOf(error))
    : noteFailureOfOne(context, error)

/** Lets the next model take the step. Returns false if the run's own model is in use. */
const skipUnaffordable = (context: SessionContext, reason: string | undefined): boolean => {
  if (fallbackInUse(context) === undefined) return false
  const text = reason ?? "the budget does not cover a call of this model"
  const { isExhausted } = changeModel(context, { failure: undefined, reason: text })
  const { fallback } = context.state.run
  // Nothing else is left to try: the run's own model is called after the wait.
  if (isExhausted) noteOutage(context, fallback?.failure ?? undefined)
  return true
}

/** Notes that the budget does not cover a call of the model in use: the run's own model can be cheaper, or else the budget ends or pauses the run. */
export const noteUnaffordable = (context: SessionContext, reason: string | undefined): void => {
  if (skipUnaffordable(context, reason)) return
  const { run } = context.state
  run.budgetExhausted = true
  run.budgetReason = reason
  // Not before: a session that is shown as waiting for its rate limit is so until a call starts or the run pauses.
  run.rateLimit = null
  dropOutage(context)
}

/** Notes that the model in use has answered. */
export const noteAnswer = (context: SessionContext): void => {
  const { run } = context.state
  if (run.fallback != null) run.fallback = afterAnswer(fallbackFor(run.fallback, primaryModel(context)))
}

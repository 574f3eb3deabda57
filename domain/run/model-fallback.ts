import type { OutageFailure } from "./provider-outage.ts"

/** The models of a run whose model became unavailable. Plain data: continue-as-new carries it over. */
export interface ModelFallback {
  /** The run's own model, or the one that a person set: the one whose fallback models these are. */
  readonly primary: string
  /** The model that takes the next step. */
  readonly model: string
  /** Models that failed since the last answer. */
  readonly failed: readonly string[]
  /** Fallback models that cannot take a step of this run. */
  readonly refused: readonly string[]
  /** Models that have answered in the run: their keys work. */
  readonly worked: readonly string[]
  /** Why the primary model failed last. */
  readonly failure: OutageFailure | null
}

type FallbackState = ModelFallback | null | undefined

const emptyFallback = (primary: string): ModelFallback => ({
  primary,
  model: primary,
  failed: [],
  refused: [],
  worked: [],
  failure: null,
})

/** Returns the state for a primary model: another primary model begins with a new one. */
export const fallbackFor = (state: FallbackState, primary: string): ModelFallback =>
  state?.primary === primary ? state : emptyFallback(primary)

/** Returns the fallback model that takes the run's next step; undefined if its own model, or the one that a person set, does. */
export const activeFallback = (state: FallbackState, primary: string): string | undefined =>
  state?.primary === primary && state.model !== primary ? state.model : undefined

/** Returns whether the last call of this step failed, so that another model takes the step. */
export const isStepRetaken = (state: FallbackState): boolean => (state?.failed.length ?? 0) > 0

interface FailedCall {
  /** What the provider caused; undefined if the model refused the step. */
  readonly failure: OutageFailure | undefined
  readonly fallbacks: readonly string[]
}

const added = (names: readonly string[], name: string): readonly string[] =>
  names.includes(name) ? names : [...names, name]

/**
 * Notes that the current model failed, and lets the next one that has not failed since the last answer take the step: the primary model first, then its
 * fallback models in order. If all have failed, the primary model is next again, and `isExhausted` is true: the run waits before it is called.
 */
export const afterFailure = (
  before: ModelFallback,
  { failure, fallbacks }: FailedCall,
): { readonly state: ModelFallback; readonly isExhausted: boolean } => {
  const { model, primary } = before
  const failed = added(before.failed, model)
  const noted: ModelFallback = {
    ...before,
    failed,
    refused: failure === undefined ? added(before.refused, model) : before.refused,
    failure: model === primary && failure !== undefined ? failure : before.failure,
  }
  const next = [primary, ...fallbacks].find((name) => !failed.includes(name) && !noted.refused.includes(name))
  return next === undefined
    ? { state: { ...noted, model: primary, failed: [] }, isExhausted: true }
    : { state: { ...noted, model: next }, isExhausted: false }
}

/** Notes that the current model has answered. */
export const afterAnswer = (before: ModelFallback): ModelFallback =>
  before.failed.length === 0 && before.worked.includes(before.model)
    ? before
    : { ...before, failed: [], worked: added(before.worked, before.model) }

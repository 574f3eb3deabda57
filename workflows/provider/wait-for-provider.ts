import { ActivityFailure, ApplicationFailure, condition, patched } from "@temporalio/workflow"
import { nextOutage, outageDetailsOf, type OutageFailure } from "../../domain/run/provider-outage.ts"
import { emit } from "../../domain/session/session-state.ts"
import { mayContinueAsNew } from "../session/continue-as-new.ts"
import { runScope } from "../session/run-scope.ts"
import { type SessionContext, showDetails, withOutbox } from "../session/session-context.ts"
import { notifyOfOutage } from "../children/child-reports.ts"
import { releaseSlot } from "../lane/lane-slot.ts"
import { modelInUse } from "../session/model-in-use.ts"
import { storeActivities } from "../store-activities.ts"

/** Returns what the provider caused; undefined for any other failure of a model call. */
export const providerFailureOf = (error: unknown): OutageFailure | undefined => {
  const cause = error instanceof ActivityFailure ? error.cause : undefined
  if (!(cause instanceof ApplicationFailure)) return undefined
  const outage = outageDetailsOf(cause.details)
  return outage === undefined ? undefined : { code: cause.type ?? "provider_error", reason: cause.message, ...outage }
}

const missingKeyText = (variable: string, sessionId: string): string =>
  `${variable} is not set where the work is done: run "adjutant retry ${sessionId}" where it is set`

/** Shows what the run waits for, to everybody who reads the session. */
const showOutage = async (context: SessionContext): Promise<void> => {
  const { state } = context
  const { outage } = state.run
  const toText = (ms: number): string => new Date(ms).toISOString()
  const blockedBy =
    outage == null
      ? null
      : {
          ...(outage.missingKey === undefined
            ? { type: "provider_unavailable" as const, reason: outage.reason }
            : { type: "missing_key" as const, reason: missingKeyText(outage.missingKey, state.sessionId) }),
          since: toText(outage.sinceMs),
          next_at: toText(outage.nextAtMs),
        }
  showDetails(context)
  await withOutbox(state, (outbox) => storeActivities.showBlocked({ ...runScope(context), blockedBy, outbox }))
}

/**
 * Notes that a model call failed because the provider is unavailable, so that the step is taken again after a wait. Returns false for any other failure,
 * and for a run that has waited as long as it may.
 */
export const noteOutage = (context: SessionContext, failure: OutageFailure | undefined): boolean => {
  const { state, settings } = context
  const { run } = state
  const model = modelInUse(context)
  if (failure === undefined || settings === null) return false
  // A key or an account that never worked does not begin to work by waiting.
  if (
    failure.needsWorkingKey &&
    failure.missingKey === undefined &&
    run.answeredBy !== model &&
    run.fallback?.worked.includes(model) !== true
  )
    return false
  const circumstances = {
    ...{ timing: settings.timing, nowMs: Date.now(), model },
    countsWork: patched("outage-counts-work"),
  }
  const outage = nextOutage(run.outage ?? null, failure, circumstances)
  if (outage === undefined) return false
  const next_at = new Date(outage.nextAtMs).toISOString()
  emit(run, "model-retry", { step: run.stepsTaken, reason: outage.reason, attempt: outage.tries, next_at })
  const isNew = run.outage == null
  run.outage = outage
  if (isNew) notifyOfOutage(context)
  return true
}

/** Forgets the outage when a call has succeeded. */
export const endOutage = async (context: SessionContext): Promise<void> => {
  const { run } = context.state
  run.answeredBy = modelInUse(context)
  if (run.outage == null) return
  run.outage = null
  notifyOfOutage(context)
  await showOutage(context)
}

/** Forgets the outage of a run that its budget ends or pauses instead: if it continues after the pause, the next outage is another one. */
export const dropOutage = (context: SessionContext): void => {
  const { run } = context.state
  if (run.outage == null) return
  run.outage = null
  notifyOfOutage(context)
}

/** Returns whether the run must wait before its next model call. Another model is tried at once. */
export const isProviderAway = (context: SessionContext): boolean => {
  const { outage } = context.state.run
  return outage != null && Date.now() < outage.nextAtMs && outage.model === modelInUse(context)
}

/** Waits until it is time for the next try, which a person or another model can bring forward. No slot is held, and the run's clock does not count. */
export const waitForProvider = async (context: SessionContext): Promise<void> => {
  const { outage } = context.state.run
  if (outage == null) return
  context.clock?.stop()
  await releaseSlot(context)
  await showOutage(context)
  const waitMs = Math.max(1, outage.nextAtMs - Date.now())
  await condition(() => !isProviderAway(context) || mayContinueAsNew(context), waitMs)
}

/** Brings the next try forward. Returns why that is not possible, where it is not. */
export const retryProvider = ({ state: { run } }: SessionContext): string | undefined => {
  if (run.outage == null) return "the session does not wait for a provider"
  run.outage = { ...run.outage, nextAtMs: Date.now() }
  return undefined
}

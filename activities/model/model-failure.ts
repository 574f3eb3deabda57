import { ApplicationFailure, activityInfo } from "@temporalio/activity"
import type { ErrorCode } from "../../contracts/error-code.ts"
import type { RunTiming } from "../../contracts/config/timing.ts"
import { assertNever } from "../../domain/assert-never.ts"
import type { OutageDetails } from "../../domain/run/provider-outage.ts"
import type { ModelError } from "../../models/model-error.ts"
import { startOf } from "../../domain/text/foreign/well-formed.ts"

const maxDoublings = 20

/** Returns the number of the running attempt of a model call, counted from 1 over all activities of the call. */
export const attemptOf = (failedAttempts = 0): number => failedAttempts + activityInfo().attempt

const modelErrorCode = (error: ModelError): ErrorCode => {
  switch (error.kind) {
    case "auth":
      return "key_missing"
    case "not_found":
      return "model_not_found"
    case "context_exceeded":
      return "context_exceeded"
    case "retry":
    case "quota":
    case "bad_request":
    case "script_mismatch":
    case "aborted":
      return "provider_error"
    default:
      return assertNever(error.kind)
  }
}

/** Converts a classified provider error to a failure that says when the engine retries, or that it does not. It has no cause, since SDK errors contain headers. */
export const modelFailure = (error: ModelError, timing: RunTiming, failedAttempts?: number): ApplicationFailure =>
  ApplicationFailure.create({
    type: modelErrorCode(error),
    message: error.message,
    nonRetryable: error.kind !== "retry",
    nextRetryDelay: retryDelayMs(error, timing, attemptOf(failedAttempts)),
    details: outageDetails(error),
  })

/** The workflow waits for the provider after the last attempt, where waiting can help. */
const outageDetails = ({ kind, retryAfterMs, missingKey }: ModelError): OutageDetails[] =>
  kind === "retry" || kind === "quota" || kind === "auth"
    ? [
        {
          outage: {
            ...{ needsWorkingKey: kind !== "retry", retryAfterMs: retryAfterMs ?? null },
            ...(missingKey === undefined ? {} : { missingKey }),
          },
        },
      ]
    : []

const retryDelayMs = ({ retryAfterMs }: ModelError, timing: RunTiming, attempt: number): number => {
  const backOff = timing.modelRetryInitialMs * 2 ** Math.min(attempt - 1, maxDoublings)
  return retryAfterMs === undefined
    ? Math.min(timing.modelRetryMaxMs, backOff)
    : Math.min(timing.modelRetryAfterMaxMs, retryAfterMs)
}

const maxReasonCharacters = 500

/** Returns the event's data for a failed attempt that the engine repeats; undefined if it was the last one. */
export const modelRetry = (
  error: ModelError,
  timing: RunTiming,
  failedAttempts?: number,
): { readonly reason: string; readonly attempt: number; readonly next_at: string } | undefined => {
  const { attempt: ownAttempt, retryPolicy } = activityInfo()
  const attempt = attemptOf(failedAttempts)
  // The limit of `modelOptions` counts (workflows/activity-options.ts). The setting stands in for it where the engine does not report it.
  const isLast = attempt >= timing.modelAttempts || ownAttempt >= (retryPolicy?.maximumAttempts ?? Infinity)
  if (error.kind !== "retry" || isLast) return undefined
  const next = new Date(Date.now() + retryDelayMs(error, timing, attempt))
  return { reason: startOf(error.message, maxReasonCharacters), attempt, next_at: next.toISOString() }
}

const refusingStatuses: readonly (number | undefined)[] = [400, 422]

/** Returns true if the provider refused what a request contains. An error without a request is not one. */
export const isRefusal = ({ kind, status }: ModelError): boolean =>
  kind === "bad_request" && refusingStatuses.includes(status)

import {
  ApplicationFailure,
  isGrpcServiceError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from "@temporalio/client"
import { NamespaceNotFoundError } from "@temporalio/common"
import { AdjutantError } from "../contracts/adjutant-error.ts"
import { isErrorCode } from "../contracts/error-code.ts"
import { notYetFailureType, refusedFailureType } from "../domain/session/session-message.ts"

/** gRPC status codes by their number on the wire. */
export const grpc = {
  cancelled: 1,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  aborted: 10,
  unavailable: 14,
  unauthenticated: 16,
} as const

const transient: ReadonlySet<number> = new Set([grpc.resourceExhausted, grpc.aborted, grpc.unavailable])

/** Returns the gRPC code of an error or of its cause. */
const grpcCodeOf = (error: unknown): number | undefined => {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (isGrpcServiceError(cause)) return cause.code
  }
  return undefined
}

/** Returns whether the request may succeed if it is retried. */
export const isTransientEngineError = (error: unknown): boolean => transient.has(grpcCodeOf(error) ?? -1)

/** Returns whether there was no answer in time, so that it is unknown whether the request took effect. */
export const isEngineTimeout = (error: unknown): boolean => {
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) return true
  const code = grpcCodeOf(error)
  return code === grpc.deadlineExceeded || code === grpc.cancelled
}

/** Returns the failure of an update; undefined for any other error. */
const updateFailureOf = (error: unknown): ApplicationFailure | undefined =>
  error instanceof WorkflowUpdateFailedError && error.cause instanceof ApplicationFailure ? error.cause : undefined

/** Returns whether the execution is closed, or no longer known to the engine. */
export const isExecutionGone = (error: unknown): boolean =>
  error instanceof WorkflowNotFoundError || updateFailureOf(error)?.type === "AcceptedUpdateCompletedWorkflow"

export const isNotFound = (error: unknown): boolean => grpcCodeOf(error) === grpc.notFound

/** Returns whether Temporal is unavailable. */
export const isTemporalUnavailable = (error: unknown): error is AdjutantError =>
  error instanceof AdjutantError && error.code === "temporal_unavailable"

/** Returns whether the workflow currently accepts the request only as a signal. Temporal refuses updates while the tasks of a workflow fail. */
export const isNotYet = (error: unknown): boolean =>
  updateFailureOf(error)?.type === notYetFailureType || grpcCodeOf(error) === grpc.failedPrecondition

/** Returns the error with which the workflow refused an update; undefined for any other error. */
export const updateRefusal = (error: unknown): AdjutantError | undefined => {
  const failure = updateFailureOf(error)
  if (failure?.type !== refusedFailureType) return undefined
  const code = failure.details?.[0]
  return new AdjutantError(isErrorCode(code) ? code : "internal_error", failure.message)
}

const unavailable = (message: string, cause: unknown): AdjutantError =>
  new AdjutantError("temporal_unavailable", message, { cause })

/** Translates an error of Temporal's client for the user; returns an unexpected error unchanged. */
export const translateTemporalError = (error: unknown): unknown => {
  const refusal = updateRefusal(error)
  if (refusal !== undefined) return refusal
  if (error instanceof NamespaceNotFoundError)
    return unavailable(
      `Temporal has no namespace ${error.namespace}: create it, or set TEMPORAL_NAMESPACE to one that exists`,
      error,
    )
  if (isExecutionGone(error)) return error
  const code = grpcCodeOf(error)
  if (code === grpc.permissionDenied || code === grpc.unauthenticated)
    return unavailable(
      "Temporal refused this client: check TEMPORAL_API_KEY, the TLS settings and the namespace",
      error,
    )
  if (code === grpc.resourceExhausted)
    return unavailable("Temporal is limiting requests: try again in a moment, or raise the namespace's limits", error)
  if (isEngineTimeout(error) || isTransientEngineError(error))
    return unavailable(
      'Temporal does not answer: run "adjutant doctor" to check the server and TEMPORAL_ADDRESS, then try again',
      error,
    )
  return error
}

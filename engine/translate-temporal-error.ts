import {
  ApplicationFailure,
  isGrpcServiceError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from "@temporalio/client"
import { NamespaceNotFoundError } from "@temporalio/common"
import { AdjutantError } from "../contracts/adjutant-error.ts"
import { type ErrorCode, errorTable } from "../contracts/error-code.ts"
import { notYetFailureType, refusedFailureType } from "../domain/messages/session-message.ts"

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

/** The gRPC code of an error or of what caused it. */
const grpcCodeOf = (error: unknown): number | undefined => {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (isGrpcServiceError(cause)) return cause.code
  }
  return undefined
}

/** The request may succeed when it is sent again. */
export const isTransientEngineError = (error: unknown): boolean => transient.has(grpcCodeOf(error) ?? -1)

/** Nobody answered in time: whether the request took effect is unknown. */
export const isEngineTimeout = (error: unknown): boolean => {
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) return true
  const code = grpcCodeOf(error)
  return code === grpc.deadlineExceeded || code === grpc.cancelled
}

/** What the workflow failed an update with; undefined for any other error. */
const updateFailureOf = (error: unknown): ApplicationFailure | undefined =>
  error instanceof WorkflowUpdateFailedError && error.cause instanceof ApplicationFailure ? error.cause : undefined

/** The execution is closed, or the engine has forgotten it. */
export const isExecutionGone = (error: unknown): boolean =>
  error instanceof WorkflowNotFoundError || updateFailureOf(error)?.type === "AcceptedUpdateCompletedWorkflow"

export const isNotFound = (error: unknown): boolean => grpcCodeOf(error) === grpc.notFound

/** Temporal is away: start it, or look at the address. */
export const isTemporalUnavailable = (error: unknown): error is AdjutantError =>
  error instanceof AdjutantError && error.code === "temporal_unavailable"

/** The workflow takes this only by signal just now. */
export const isNotYet = (error: unknown): boolean => updateFailureOf(error)?.type === notYetFailureType

const isErrorCode = (value: unknown): value is ErrorCode =>
  typeof value === "string" && Object.hasOwn(errorTable, value)

/** What the workflow said when it refused an update; undefined for any other error. */
export const refusalOf = (error: unknown): AdjutantError | undefined => {
  const failure = updateFailureOf(error)
  if (failure?.type !== refusedFailureType) return undefined
  const code = failure.details?.[0]
  return new AdjutantError(isErrorCode(code) ? code : "internal_error", failure.message)
}

const unavailable = (message: string, cause: unknown): AdjutantError =>
  new AdjutantError("temporal_unavailable", message, { cause })

/** An error of Temporal's client as the user sees it; what is no expected failure of the engine comes back as it was. */
export const translateTemporalError = (error: unknown): unknown => {
  const refusal = refusalOf(error)
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
      "Temporal does not answer: see that it runs and that TEMPORAL_ADDRESS is right (adjutant doctor), then try again",
      error,
    )
  return error
}

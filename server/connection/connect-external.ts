import { type Connection, isGrpcServiceError } from "@temporalio/client"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { ConnectionProfile } from "./connection-profile.ts"
import { openConnection } from "./open-connection.ts"

export interface ExternalConnection {
  readonly profile: ConnectionProfile
  /** Timeout for the server's answer. */
  readonly timeoutMs: number
}

/** Connects to a server and checks that it has the namespace. Throws AdjutantError `temporal_unavailable`. */
export const connectExternal = async ({ profile, timeoutMs }: ExternalConnection): Promise<Connection> => {
  try {
    const connection = await openConnection({ ...profile.connectionOptions, connectTimeout: timeoutMs })
    try {
      await checkNamespace(connection, profile.namespace, timeoutMs)
      return connection
    } catch (error) {
      await connection.close()
      throw error
    }
  } catch (error) {
    throw new AdjutantError("temporal_unavailable", explain(error, profile, timeoutMs))
  }
}

const checkNamespace = async (connection: Connection, namespace: string, timeoutMs: number): Promise<void> => {
  try {
    await connection.withDeadline(Date.now() + timeoutMs, () =>
      connection.workflowService.describeNamespace({ namespace }),
    )
  } catch (error) {
    // A key may be allowed to use a namespace but not to describe it.
    if (!isGrpcServiceError(error) || error.code !== grpcPermissionDenied) throw error
  }
}

// @grpc/grpc-js status
const grpcNotFound = 5
const grpcPermissionDenied = 7
const grpcUnauthenticated = 16

const explain = (error: unknown, { address, namespace }: ConnectionProfile, timeoutMs: number): string => {
  const code = isGrpcServiceError(error) ? error.code : undefined
  if (code === grpcNotFound) {
    return `Temporal at ${address} has no namespace "${namespace}": create it, or set TEMPORAL_NAMESPACE`
  }
  if (code === grpcUnauthenticated || code === grpcPermissionDenied) {
    return `Temporal at ${address} refused the credentials: check TEMPORAL_API_KEY and TEMPORAL_TLS_*`
  }
  const seconds = Math.round(timeoutMs / 100) / 10
  return (
    `Temporal at ${address} did not answer within ${seconds} s: check TEMPORAL_ADDRESS and TEMPORAL_TLS_*, ` +
    "or unset them to use the embedded server"
  )
}

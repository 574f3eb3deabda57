import { isGrpcServiceError } from "@temporalio/client"
import { AdjutantError } from "../contracts/adjutant-error.ts"
import type { EngineIdentity } from "../domain/engine/engine-identity.ts"
import type { EngineClient } from "./engine-client.ts"
import { grpc } from "./translate-temporal-error.ts"

/**
 * Identifies the connected engine. Its namespace id is null if this client may not describe namespaces. Rejects with `temporal_unavailable` if the
 * namespace does not exist, and with the gRPC error if the engine does not answer.
 */
export const identifyEngine = async (temporal: EngineClient, address: string): Promise<EngineIdentity> => {
  const { namespace } = temporal.options
  try {
    const { namespaceInfo } = await temporal.workflowService.describeNamespace({ namespace })
    const id = namespaceInfo?.id ?? ""
    return { namespaceId: id === "" ? null : id, namespace, address }
  } catch (error) {
    if (!isGrpcServiceError(error)) throw error
    if (error.code === grpc.permissionDenied) return { namespaceId: null, namespace, address }
    if (error.code !== grpc.notFound) throw error
    throw new AdjutantError(
      "temporal_unavailable",
      `there is no namespace "${namespace}" at ${address}: create it, or set TEMPORAL_NAMESPACE to one that exists`,
    )
  }
}

/** Returns the address of a client's connection, as text for people. */
export const connectedAddress = ({ connection }: Pick<EngineClient, "connection">): string => {
  const options: unknown = connection === undefined ? undefined : Reflect.get(connection, "options")
  const address: unknown = typeof options === "object" && options !== null ? Reflect.get(options, "address") : undefined
  return typeof address === "string" ? address : "an unknown address"
}

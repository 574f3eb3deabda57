import { connectExternal, type ExternalConnection } from "./connection/connect-external.ts"
import type { RunningServer } from "./running-server.ts"
import { type ServerLogger, warnOfServer } from "./server-logger.ts"
import { ensureSearchAttributes } from "./connection/search-attributes.ts"

export interface ExternalServerOptions extends ExternalConnection {
  readonly logger: ServerLogger
}

/** Returns the server that the user configured, once it has answered. Throws AdjutantError `temporal_unavailable`, with the address. */
export const useExternalServer = async (options: ExternalServerOptions): Promise<RunningServer> => {
  const { profile, logger } = options
  const { address, namespace } = profile
  const connection = await connectExternal(options)
  try {
    const registration = await ensureSearchAttributes(connection, namespace)
    if (!registration.hasSearchAttributes) {
      warnOfServer(logger, `sessions cannot be found by search attributes on ${address}: ${registration.reason}`)
    }
    return {
      kind: "external",
      address,
      namespace,
      uiUrl: profile.uiUrl,
      hasSearchAttributes: registration.hasSearchAttributes,
      release: async () => undefined,
    }
  } finally {
    await connection.close()
  }
}

import type { EnsureServerOptions } from "./start/ensure-server-options.ts"
import { loadConnectionProfile } from "./connection/connection-profile.ts"
import { newEngineFile } from "./find-running-server.ts"
import type { RunningServer } from "./running-server.ts"
import { silentLogger, type ServerLogger, warnOfServer } from "./server-logger.ts"
import { connectExternal, type ExternalConnection } from "./connection/connect-external.ts"
import { ensureSearchAttributes } from "./connection/search-attributes.ts"
import { mkdirSync } from "node:fs"
import { errorMessage } from "../domain/text/error-message.ts"
import { joinServer } from "./start/join-server.ts"
import { keeperSettings } from "./keeper/keeper-settings.ts"
import { embeddedNamespace } from "./keeper/server-record.ts"
import { serverFiles } from "./process/server-files.ts"
import { startLimits } from "./process/start-limits.ts"
import { takeLease } from "./keeper/user-lease.ts"
import { createKeeper } from "./keeper/start-keeper.ts"

/** Connects to the server of the data directory, and starts it if it is not running. Many processes may call this at the same time. */
const useEmbeddedServer = async (options: EnsureServerOptions): Promise<RunningServer> => {
  const logger = options.logger ?? silentLogger
  const { users } = serverFiles(options.dataDir)
  mkdirSync(users, { recursive: true, mode: 0o700 })
  // The lease comes before the record is read: a keeper that ends checks for leases after it has removed the record.
  const leave = takeLease(users, options.purpose ?? "library")
  const keeper = createKeeper()
  const end = async (): Promise<void> => {
    leave()
    await keeper.stop()
  }
  try {
    const { record, connection } = await joinServer(options, keeper, startLimits(options.env, options.limits))
    const registration = await ensureSearchAttributes(connection, embeddedNamespace)
    await connection.close()
    if (!registration.hasSearchAttributes) {
      warnOfServer(logger, `sessions cannot be found by search attributes: ${registration.reason}`)
    }
    if (options.synchronous !== undefined && options.synchronous !== record.synchronous) {
      warnOfServer(logger, `the Temporal server runs with synchronous=${record.synchronous} until its users have left`)
    }
    keeper.watch({ ...keeperSettings(options, record.program), synchronous: record.synchronous }, (error) =>
      logger.warn(errorMessage(error)),
    )
    let released: Promise<void> | undefined
    return {
      kind: "embedded",
      address: record.address,
      namespace: embeddedNamespace,
      uiUrl: record.uiUrl,
      hasSearchAttributes: registration.hasSearchAttributes,
      release: () => {
        released ??= end()
        return released
      },
    }
  } catch (error) {
    await end()
    throw error
  }
}

interface ExternalServerOptions extends ExternalConnection {
  readonly logger: ServerLogger
}

/** Returns the server that the user configured, once it has answered. Throws AdjutantError `temporal_unavailable`, with the address. */
const useExternalServer = async (options: ExternalServerOptions): Promise<RunningServer> => {
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

/**
 * Returns a Temporal server: the one that TEMPORAL_* names, else the embedded one of the data directory, which is started if it is not running.
 * Throws AdjutantError `temporal_unavailable` or `invalid_config`, or the signal's reason when aborted.
 */
export const ensureServer = async (options: EnsureServerOptions): Promise<RunningServer> => {
  const logger = options.logger ?? silentLogger
  const profile = loadConnectionProfile(options.env)
  if (profile !== undefined) {
    return useExternalServer({ profile, timeoutMs: options.connectTimeoutMs ?? 10_000, logger })
  }
  const file = newEngineFile(options)
  if (file !== undefined) await options.beforeNewEngine?.(file)
  try {
    return await useEmbeddedServer(options)
  } catch (error) {
    // An aborted wait throws its own error.
    options.signal?.throwIfAborted()
    throw error
  }
}

import { mkdirSync } from "node:fs"
import { errorMessage } from "../domain/text/error-message.ts"
import type { EnsureServerOptions } from "./start/ensure-server-options.ts"
import { joinServer } from "./start/join-server.ts"
import { keeperSettings } from "./keeper/keeper-settings.ts"
import { embeddedNamespace } from "./keeper/launch-temporal.ts"
import type { RunningServer } from "./running-server.ts"
import { ensureSearchAttributes } from "./connection/search-attributes.ts"
import { serverFiles } from "./process/server-files.ts"
import { silentLogger, warnOfServer } from "./server-logger.ts"
import { startLimits } from "./process/start-limits.ts"
import { takeLease } from "./keeper/user-lease.ts"
import { createKeeper } from "./keeper/start-keeper.ts"

/** Connects to the server of the data directory, and starts it if it is not running. Many processes may call this at the same time. */
export const useEmbeddedServer = async (options: EnsureServerOptions): Promise<RunningServer> => {
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

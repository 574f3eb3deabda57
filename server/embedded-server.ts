import { mkdirSync } from "node:fs"
import { errorMessage } from "../domain/text/error-message.ts"
import type { EnsureServerOptions } from "./start/ensure-server-options.ts"
import { joinServer } from "./start/join-server.ts"
import { keeperSettings } from "./keeper/keeper-settings.ts"
import { embeddedNamespace } from "./process/launch-temporal.ts"
import type { RunningServer } from "./running-server.ts"
import { ensureSearchAttributes } from "./connection/search-attributes.ts"
import { serverFiles } from "./process/server-files.ts"
import { silentLogger } from "./server-logger.ts"
import { startLimits } from "./start/start-limits.ts"
import { takeLease } from "./keeper/user-lease.ts"
import { watchKeeper } from "./keeper/watch-keeper.ts"

/** Joins the server of the data directory, or starts it; many processes may do so at once. */
export const useEmbeddedServer = async (options: EnsureServerOptions): Promise<RunningServer> => {
  const logger = options.logger ?? silentLogger
  const { users } = serverFiles(options.dataDir)
  mkdirSync(users, { recursive: true, mode: 0o700 })
  // Before the first look at the record: a keeper that ends looks for leases after it has taken the record back.
  const leave = takeLease(users, options.purpose ?? "library")
  try {
    const { record, connection } = await joinServer(options, startLimits(options.env, options.limits))
    const registration = await ensureSearchAttributes(connection, embeddedNamespace)
    await connection.close()
    if (!registration.hasSearchAttributes) {
      logger.warn(`Sessions cannot be found by search attributes: ${registration.reason}`)
    }
    if (options.synchronous !== undefined && options.synchronous !== record.synchronous) {
      logger.warn(`The Temporal server runs with synchronous=${record.synchronous} until its users have left`)
    }
    const watch = watchKeeper({
      keeper: { ...keeperSettings(options, record.program), synchronous: record.synchronous },
      env: options.env,
      onTrouble: (error) => logger.warn(errorMessage(error)),
    })
    // Still a user while a keeper that died is replaced: the new one then sees the last user go.
    const release = (): Promise<void> => watch.stop().finally(leave)
    let released: Promise<void> | undefined
    return {
      kind: "embedded",
      address: record.address,
      namespace: embeddedNamespace,
      uiUrl: record.uiUrl,
      hasSearchAttributes: registration.hasSearchAttributes,
      release: () => {
        released ??= release()
        return released
      },
    }
  } catch (error) {
    leave()
    throw error
  }
}

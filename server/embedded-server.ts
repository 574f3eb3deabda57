import { mkdirSync } from "node:fs"
import { setTimeout as delay } from "node:timers/promises"
import { Connection } from "@temporalio/client"
import { AdjutantError } from "../contracts/adjutant-error.ts"
import type { EnsureServerOptions } from "./ensure-server.ts"
import { ensureTemporalProgram } from "./ensure-temporal-program.ts"
import { keeperSettings } from "./keeper-settings.ts"
import { embeddedNamespace } from "./launch-temporal.ts"
import type { RunningServer } from "./running-server.ts"
import { ensureSearchAttributes } from "./search-attributes.ts"
import { serverFiles } from "./server-files.ts"
import { silentLogger } from "./server-logger.ts"
import type { ServerRecord } from "./server-record.ts"
import { liveRecord, startKeeper } from "./start-keeper.ts"
import { takeLease } from "./user-lease.ts"
import { watchKeeper } from "./watch-keeper.ts"

/** Joins the server of the data directory, or starts it; many processes may do so at once. */
export const useEmbeddedServer = async (options: EnsureServerOptions): Promise<RunningServer> => {
  const logger = options.logger ?? silentLogger
  const { users } = serverFiles(options.dataDir)
  mkdirSync(users, { recursive: true, mode: 0o700 })
  // Before the first look at the record: a keeper that ends looks for leases after it has taken the record back.
  const leave = takeLease(users, options.purpose ?? "library")
  try {
    const { record, connection } = await joinServer(options)
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
      onTrouble: (error) => logger.warn(error instanceof Error ? error.message : String(error)),
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

interface Joined {
  readonly record: ServerRecord
  readonly connection: Connection
}

const patienceMs = 90_000

const joinServer = async (options: EnsureServerOptions): Promise<Joined> => {
  const { dataDir, env, signal } = options
  const deadline = performance.now() + patienceMs
  const onWait = sayEverySecond(options.onProgress)
  for (;;) {
    signal?.throwIfAborted()
    const record = liveRecord(dataDir)
    const connection = record === undefined ? undefined : await connectOnce(record.address)
    if (record !== undefined && connection !== undefined) return { record, connection }
    if (record === undefined) {
      const program = await ensureTemporalProgram({ env, signal, onProgress: options.onProgress })
      await startKeeper({ keeper: keeperSettings(options, program.path), env, signal, onWait })
    }
    onWait()
    if (performance.now() > deadline) {
      throw new AdjutantError(
        "temporal_unavailable",
        `The embedded Temporal server does not answer; read ${serverFiles(dataDir).log}.`,
      )
    }
    await delay(20, undefined, { signal })
  }
}

const connectOnce = async (address: string): Promise<Connection | undefined> => {
  try {
    return await Connection.connect({ address, connectTimeout: 2_000 })
  } catch {
    return undefined
  }
}

const sayEverySecond = (onProgress: ((line: string) => void) | undefined): (() => void) => {
  const startedAt = performance.now()
  let saidSeconds = 0
  return () => {
    const seconds = Math.floor((performance.now() - startedAt) / 1000)
    if (seconds <= saidSeconds) return
    saidSeconds = seconds
    onProgress?.(`waiting for the Temporal server … ${seconds} s`)
  }
}

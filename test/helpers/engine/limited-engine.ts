import { type ChildProcess, spawn } from "node:child_process"
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Connection } from "@temporalio/client"
import { choosePort } from "../../../server/exposure/choose-ports.ts"
import { ensureTemporalProgram } from "../../../server/program/ensure-temporal-program.ts"
import { randomApiHost } from "../../../server/exposure/http-api-guard.ts"
import { embeddedNamespace } from "../../../server/keeper/server-record.ts"
import { probeServer } from "../../../server/process/probe-server.ts"
import { ensureSearchAttributes } from "../../../server/connection/search-attributes.ts"
import { serverArguments } from "../../../server/keeper/server-arguments.ts"
import { temporalEnvironment } from "../../../server/process/temporal-process.ts"
import { eventually } from "../eventually.ts"

/** Settings by key, as in the server's dynamic configuration. They replace the product's own. */
export type DynamicConfig = Readonly<Record<string, number | boolean | string>>

/**
 * Limits of the engine that a test can lower. Each is a count unless its name says otherwise. A test can also
 * set any other key of the dynamic configuration.
 */
export const engineLimits = {
  /** Events of an execution at which the engine suggests continue-as-new (default 4,096). */
  suggestContinueAsNewEvents: "limit.historyCount.suggestContinueAsNew",
  /** Bytes of history at which the engine suggests continue-as-new (default 4 MiB). */
  suggestContinueAsNewBytes: "limit.historySize.suggestContinueAsNew",
  /** Events at which the engine terminates an execution (default 51,200). */
  historyEvents: "limit.historyCount.error",
  /** Bytes of history at which the engine terminates an execution (default 50 MiB). */
  historyBytes: "limit.historySize.error",
  /** Signals to other executions that may be pending at once (default 2,000). */
  pendingSignals: "limit.numPendingSignals.error",
  /** Children that may be open at once (default 2,000). */
  pendingChildren: "limit.numPendingChildExecutions.error",
  /** Activities that may be open at once (default 2,000). */
  pendingActivities: "limit.numPendingActivities.error",
  /** Signals that one execution accepts (default 10,000). */
  signals: "history.maximumSignalsPerExecution",
  /** Updates that one execution accepts (default 2,000). */
  updates: "history.maxTotalUpdates",
  /** Bytes of one payload (default 2 MiB). */
  payloadBytes: "limit.blobSize.error",
} as const

/** Low enough that a small tree reaches all of them, and high enough for what the product needs. */
export const lowLimits: DynamicConfig = {
  [engineLimits.suggestContinueAsNewEvents]: 40,
  [engineLimits.pendingSignals]: 20,
  [engineLimits.signals]: 200,
  [engineLimits.historyEvents]: 500,
  [engineLimits.payloadBytes]: 65_536,
}

export interface LimitedEngine {
  readonly address: string
  /** Where the server has its files. */
  readonly dataDir: string
  /** Stops the server, waits until it has exited, and removes its data. */
  stop(): Promise<void>
}

const readyTimeoutMs = 60_000
const stopGraceMs = 10_000

const hasExited = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null

const stopProcess = async (child: ChildProcess): Promise<void> => {
  child.kill("SIGTERM")
  await eventually(() => hasExited(child), { timeoutMs: stopGraceMs }).catch(() => child.kill("SIGKILL"))
  await eventually(() => hasExited(child), { timeoutMs: stopGraceMs })
}

/** Starts the program; if another process has taken one of its ports, retries once on other ports. */
const launch = async (dataDir: string, dynamicConfig: DynamicConfig, attempts = 3): Promise<[ChildProcess, string]> => {
  const { path } = await ensureTemporalProgram({ env: process.env, onProgress: (line) => console.error(line) })
  const port = await choosePort(undefined)
  const httpPort = await choosePort(undefined, new Set([port]))
  const database = join(dataDir, "temporal.db")
  const values = Object.entries(dynamicConfig).flatMap(([key, value]) => [
    "--dynamic-config-value",
    `${key}=${JSON.stringify(value)}`,
  ])
  const settings = { port, httpPort, apiHost: randomApiHost(), metricsPort: undefined, ui: undefined, database }
  const args = [...serverArguments({ ...settings, synchronous: "normal" }), ...values]
  const logFile = join(dataDir, "temporal.log")
  const log = openSync(logFile, "a")
  const child = spawn(path, args, { stdio: ["ignore", log, log], env: temporalEnvironment(process.env) })
  closeSync(log)
  const address = `127.0.0.1:${port}`
  await eventually(async () => hasExited(child) || (await probeServer(address, embeddedNamespace, 2_000)), {
    timeoutMs: readyTimeoutMs,
  }).catch(() => undefined)
  if (!hasExited(child) && (await probeServer(address, embeddedNamespace, 2_000))) return [child, address]
  await stopProcess(child)
  if (attempts === 1) throw new Error(`the Temporal server did not become ready:\n${readFileSync(logFile, "utf8")}`)
  return launch(dataDir, dynamicConfig, attempts - 1)
}

/**
 * Starts a private Temporal server for the tests of one file, with the product's settings and with limits
 * lowered by dynamic configuration: `startLimitedEngine({ [engineLimits.suggestContinueAsNewEvents]: 40 })`.
 * Open harnesses on it with `openHarnessAt`, and stop it after they are closed. It exits with the process that
 * started it.
 */
export const startLimitedEngine = async (dynamicConfig: DynamicConfig): Promise<LimitedEngine> => {
  const dataDir = mkdtempSync(join(tmpdir(), "adjutant-engine-"))
  const [child, address] = await launch(dataDir, dynamicConfig)
  const kill = (): void => void child.kill("SIGKILL")
  process.on("exit", kill)
  const stop = async (): Promise<void> => {
    process.off("exit", kill)
    await stopProcess(child)
    rmSync(dataDir, { recursive: true, force: true })
  }
  try {
    const connection = await Connection.connect({ address })
    const { hasSearchAttributes, reason } = await ensureSearchAttributes(connection, embeddedNamespace)
    await connection.close()
    if (!hasSearchAttributes) throw new Error(`sessions cannot be found by search attributes: ${reason}`)
    return { address, dataDir, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

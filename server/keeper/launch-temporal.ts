import { setTimeout as delay } from "node:timers/promises"
import { choosePort, isPortFree } from "../exposure/choose-ports.ts"
import { freeBlockedPort } from "../exposure/blocked-ports.ts"
import { answersAnyHost, randomApiHost } from "../exposure/http-api-guard.ts"
import type { KeeperOptions } from "./keeper-settings.ts"
import { spawnGuard } from "./spawn-guard.ts"
import { findLeftServers } from "../process/find-left-servers.ts"
import { probeServer } from "../process/probe-server.ts"
import { isAlive } from "../process/process-identity.ts"
import { serverArguments } from "./server-arguments.ts"
import { readWhole, serverFiles, writeWhole } from "../process/server-files.ts"
import { embeddedNamespace, isTemporalProcessRecord, type TemporalProcessRecord } from "./server-record.ts"
import { startTemporal, stopTemporal } from "../process/temporal-process.ts"
import { chooseUiAddress } from "../ui/ui-address.ts"

export const addressOf = ({ port }: Pick<TemporalProcessRecord, "port">): string => `127.0.0.1:${port}`

/** Returns the Temporal process that was started last for this directory, whether or not it is running. */
export const lastProcess = ({ dataDir }: Pick<KeeperOptions, "dataDir">): TemporalProcessRecord | undefined =>
  readWhole(serverFiles(dataDir).process, isTemporalProcessRecord)

/** The keeper's options, and what connects it with the process that it starts. */
export interface LaunchOptions extends KeeperOptions {
  /** Called when the process that was started ends. */
  readonly onExit: () => void
  /** Aborted when the keeper stops. It then does not wait for a server to become ready. */
  readonly stop: AbortSignal
}

/**
 * Returns the server that an earlier keeper left running, if it still answers. One that does not answer is stopped.
 */
export const adoptTemporal = async (options: LaunchOptions): Promise<TemporalProcessRecord | undefined> => {
  const left = lastProcess(options)
  if (left === undefined || !isAlive(left)) return undefined
  if (await isReady(left, options)) return left
  await stopTemporal(left, options.stopGraceMs)
  return undefined
}

/** Stops servers without a record: their keeper was killed between the start and the record. No other keeper starts one now, because this one has the lock. */
export const stopLeftServers = async ({
  dataDir,
  stopGraceMs,
}: Pick<KeeperOptions, "dataDir" | "stopGraceMs">): Promise<void> => {
  for (const left of findLeftServers(serverFiles(dataDir).database)) await stopTemporal(left, stopGraceMs)
}

const launchAttempts = 5

/**
 * Starts a server, on the port of the previous one if it is free; throws if it does not become ready, or if the keeper is to stop. `uiPort` is the port
 * of the UI for people.
 */
export const launchTemporal = async (options: LaunchOptions, uiPort: number): Promise<TemporalProcessRecord> => {
  await stopLeftServers(options)
  for (let attempt = 1; ; attempt += 1) {
    options.stop.throwIfAborted()
    const previous = attempt === 1 ? lastProcess(options)?.port : undefined
    const started = await startOnce(options, { port: await choosePort(previous), uiPort })
    if (await isReady(started.record, options)) return started.unlessOpen()
    const ended = !isAlive(started.record)
    await stopTemporal(started.record, options.stopGraceMs)
    options.stop.throwIfAborted()
    // Another program may have taken a port between the choice and the start, so other ports are tried.
    if (attempt === launchAttempts || !ended) {
      throw new Error(ended ? "the Temporal server ended before it was ready" : "the Temporal server did not get ready")
    }
  }
}

/** Starts a server in place of one that died, on the same port, which its users know. */
export const relaunchTemporal = async (
  options: LaunchOptions,
  died: TemporalProcessRecord,
): Promise<TemporalProcessRecord | undefined> => {
  if (!(await isPortFree(died.port))) return undefined
  const started = await startOnce(options, died)
  if (await isReady(started.record, options)) return started.unlessOpen()
  await stopTemporal(started.record, options.stopGraceMs)
  return undefined
}

interface Started {
  readonly record: TemporalProcessRecord
  /** Returns the record; if web pages can access the server, stops it and throws. */
  unlessOpen(): Promise<TemporalProcessRecord>
}

const guardTimeoutMs = 2_000

const startOnce = async (
  options: LaunchOptions,
  { port, uiPort }: Pick<TemporalProcessRecord, "port" | "uiPort">,
): Promise<Started> => {
  const { program, synchronous, dataDir, env } = options
  const files = serverFiles(dataDir)
  const httpPort = await choosePort(undefined, new Set([port, uiPort]))
  const metricsPort = await freeBlockedPort("127.0.0.1")
  const ui = await chooseUiAddress(async (wanted, host) => wanted !== metricsPort && isPortFree(wanted, host))
  const place = { port, httpPort, apiHost: randomApiHost(), metricsPort, ui }
  const args = serverArguments({ ...place, database: files.database, synchronous })
  const identity = startTemporal({ program, args, env, log: files.log }, options.onExit)
  const guard = spawnGuard(options, identity)
  const record = { ...identity, guard, port, uiPort, program, synchronous, startedAt: new Date().toISOString() }
  try {
    writeWhole(files.process, record)
  } catch (error) {
    // Without a record, no later keeper could find this server.
    await stopTemporal(record, options.stopGraceMs)
    throw error
  }
  const unlessOpen = async (): Promise<TemporalProcessRecord> => {
    if (!(await answersAnyHost(httpPort, guardTimeoutMs))) return record
    await stopTemporal(record, options.stopGraceMs)
    throw new Error(`${program} opens its HTTP API to web pages: use a newer release of the Temporal CLI`)
  }
  return { record, unlessOpen }
}

const isReady = async (
  started: TemporalProcessRecord,
  { readyTimeoutMs, stop }: Pick<LaunchOptions, "readyTimeoutMs" | "stop">,
): Promise<boolean> => {
  const deadline = performance.now() + readyTimeoutMs
  while (isAlive(started) && performance.now() < deadline && !stop.aborted) {
    if (await probeServer(addressOf(started), embeddedNamespace, 2_000)) return true
    await delay(25)
  }
  return false
}

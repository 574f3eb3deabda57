import { existsSync, mkdirSync, rmSync, statSync } from "node:fs"
import { setTimeout as delay } from "node:timers/promises"
import { tryLock, type ExclusiveLock } from "../process/exclusive-lock.ts"
import type { KeeperOptions } from "./keeper-settings.ts"
import {
  addressOf,
  adoptTemporal,
  lastProcess,
  launchTemporal,
  relaunchTemporal,
  type LaunchOptions,
} from "./launch-temporal.ts"
import { identifyThisProcess, isAlive } from "../process/process-identity.ts"
import { isDatabaseStuck } from "../process/probe-server.ts"
import { readWhole, serverFiles, writeWhole } from "../process/server-files.ts"
import { isServerRecord, keeperOf, type ServerRecord, type TemporalProcessRecord } from "./server-record.ts"
import { createPatience } from "../process/patience.ts"
import { longestKeeperStartMs } from "../process/start-limits.ts"
import { stopTemporal } from "../process/temporal-process.ts"
import { openUiProxy, type UiProxy } from "../ui/ui-proxy.ts"
import { liveLeases, sweepLeases } from "./user-lease.ts"

/**
 * Keeps the Temporal server of one data directory running until `stop`, and starts it again if it dies. Any process that uses the server can be its
 * keeper, but only one at a time: returns at once if another process is. When this one stops and others still use the server, one of them becomes
 * the keeper; without users, the server ends. Throws if the server cannot be started or its records cannot be written, and leaves no server running.
 */
export const keepServer = async (options: KeeperOptions, stop: AbortSignal): Promise<void> => {
  const files = serverFiles(options.dataDir)
  mkdirSync(files.users, { recursive: true, mode: 0o700 })
  const lock = await becomeKeeper(options, stop)
  if (lock === undefined) return
  const mark = directoryMark(options)
  const isOwnDirectory = (): boolean => directoryMark(options) === mark
  const alarm = createAlarm(stop)
  const launch = { ...options, onExit: alarm.ring, stop }
  let ui: UiProxy | undefined
  try {
    rmSync(files.record, { force: true })
    const adopted = await adoptTemporal(launch)
    ui = await openUi(launch, adopted)
    const first = adopted ?? (await launchTemporal(launch, ui.port))
    await serveUsers(launch, { server: { ...first, uiPort: ui.port }, ui, alarm, isOwnDirectory })
  } finally {
    if (isOwnDirectory()) rmSync(files.record, { force: true })
    await ui?.close()
    lock.release()
  }
}

/** A wait that ends early when the server ends or the keeper stops. Its timer does not keep this process alive. */
const createAlarm = (stop: AbortSignal) => {
  const stopped = new Promise<void>((resolve) => stop.addEventListener("abort", () => resolve(), { once: true }))
  let rung = Promise.withResolvers<void>()
  return {
    ring: () => rung.resolve(),
    wait: async (): Promise<void> => {
      await Promise.race([rung.promise, stopped, delay(lookMs, undefined, { ref: false })])
      rung = Promise.withResolvers()
    },
  }
}

/** How often the keeper checks that its server runs. A server that an earlier keeper started is not its child, so its end causes no event. */
const lookMs = 1_000

/** Opens the proxy of the UI, on the previous port if that is free. If it cannot be opened, an adopted server is stopped: nobody would keep it. */
const openUi = async (options: LaunchOptions, adopted: TemporalProcessRecord | undefined): Promise<UiProxy> => {
  try {
    return await openUiProxy(lastProcess(options)?.uiPort)
  } catch (error) {
    if (adopted !== undefined) await stopTemporal(adopted, options.stopGraceMs)
    throw error
  }
}

interface Service {
  readonly server: TemporalProcessRecord
  readonly ui: UiProxy
  readonly alarm: ReturnType<typeof createAlarm>
  /** Returns false if the data directory was removed, or removed and created again: then this server is no longer needed. */
  isOwnDirectory(): boolean
}

/** Keeps a server running. It is stopped if anything fails, such as a write to a removed directory. */
const serveUsers = async (
  options: LaunchOptions,
  { server: first, ui, alarm, isOwnDirectory }: Service,
): Promise<void> => {
  const { stop } = options
  const files = serverFiles(options.dataDir)
  const databaseWatch = watchDatabase(options)
  const publish = (): void => writeWhole(files.record, serverRecordOf(server, ui))
  let server = first
  let relaunchAt = 0
  let failures = 0
  let isLeft = false
  try {
    ui.serve(server)
    if (isOwnDirectory()) writeWhole(files.process, server)
    while (isOwnDirectory() && !stop.aborted) {
      if (!existsSync(files.record)) publish()
      sweepLeases(files.users)
      await databaseWatch(server)
      if (!isAlive(server) && performance.now() >= relaunchAt) {
        const relaunched = await relaunchTemporal(options, server)
        failures = relaunched === undefined ? failures + 1 : 0
        relaunchAt = performance.now() + relaunchDelayMs(failures)
        server = relaunched ?? server
        ui.serve(server)
        publish()
      }
      await alarm.wait()
    }
    if (!isOwnDirectory()) return
    // A user writes its lease before it reads the record, so one that has just arrived is found here.
    rmSync(files.record, { force: true })
    isLeft = liveLeases(files.users).length > 0
  } finally {
    if (!isLeft) await stopTemporal(server, options.stopGraceMs)
  }
}

const databaseLookMs = 5_000
/** How soon a database that seems stuck is checked again. */
const secondLookMs = 1_000
const databaseTimeoutMs = 1_000
const looksBeforeStop = 2

/** Stops a server whose database is stuck in two checks in a row. The keeper then starts it again, as if it had died. */
const watchDatabase = ({ stopGraceMs }: KeeperOptions): ((server: TemporalProcessRecord) => Promise<void>) => {
  let nextLookAt = performance.now() + databaseLookMs
  let stuck = 0
  return async (server) => {
    if (performance.now() < nextLookAt) return
    stuck = (await isDatabaseStuck(addressOf(server), databaseTimeoutMs)) ? stuck + 1 : 0
    nextLookAt = performance.now() + (stuck > 0 ? secondLookMs : databaseLookMs)
    if (stuck < looksBeforeStop) return
    stuck = 0
    console.error("the database of the Temporal server is stuck (interrupted): the server is started again")
    await stopTemporal(server, Math.min(stopGraceMs, databaseTimeoutMs))
  }
}

/** Waits for an earlier keeper that is stopping, and takes its lock; returns undefined if another keeper is active, or if this one is to stop. */
const becomeKeeper = async (options: KeeperOptions, stop: AbortSignal): Promise<ExclusiveLock | undefined> => {
  const files = serverFiles(options.dataDir)
  const patience = createPatience(longestKeeperStartMs(options) + 2 * options.stopGraceMs)
  while (!stop.aborted) {
    const lock = tryLock(files.keeperLock)
    if (lock !== undefined) return lock
    const record = readWhole(files.record, isServerRecord)
    if (record !== undefined && isAlive(keeperOf(record))) return undefined
    if (patience.isOver()) throw new Error("another keeper neither serves nor ends: stop it and try again")
    await delay(20)
  }
  return undefined
}

const directoryMark = (options: KeeperOptions): number | undefined =>
  statSync(serverFiles(options.dataDir).keeperLock, { throwIfNoEntry: false })?.ino

const serverRecordOf = (server: TemporalProcessRecord, ui: UiProxy): ServerRecord => {
  const keeper = identifyThisProcess()
  const uiUrl = ui.url()
  return {
    ...server,
    address: addressOf(server),
    ...(uiUrl === undefined ? {} : { uiUrl }),
    keeperPid: keeper.pid,
    keeperStart: keeper.start,
  }
}

const relaunchDelayMs = (failures: number): number => (failures === 0 ? 0 : Math.min(100 * 2 ** failures, 10_000))

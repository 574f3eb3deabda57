import { existsSync, mkdirSync, rmSync, statSync } from "node:fs"
import { setTimeout as delay } from "node:timers/promises"
import { watchForWakeUps, type WakeUp } from "./wake-up.ts"
import { tryLock, type ExclusiveLock } from "../process/exclusive-lock.ts"
import type { KeeperOptions } from "./keeper-options.ts"
import {
  addressOf,
  adoptTemporal,
  lastProcess,
  launchTemporal,
  relaunchTemporal,
  type LaunchOptions,
} from "../process/launch-temporal.ts"
import { identifyThisProcess, isAlive } from "../process/process-identity.ts"
import { isDatabaseStuck } from "../process/probe-server.ts"
import { readWhole, serverFiles, writeWhole } from "../process/server-files.ts"
import { isServerRecord, keeperOf, type ServerRecord, type TemporalProcessRecord } from "./server-record.ts"
import { createPatience } from "../start/patience.ts"
import { longestKeeperStartMs } from "../start/start-limits.ts"
import { stopTemporal } from "../process/temporal-process.ts"
import { openUiProxy, type UiProxy } from "../ui/ui-proxy.ts"
import { liveLeases, sweepLeases } from "./user-lease.ts"

/**
 * Runs the Temporal server of one data directory until its last user has left or died, and starts it again if it dies. Returns when the server has
 * ended, or at once if another keeper serves the directory. Throws if no server can be started, or if the records of the server cannot be written; in
 * each case it leaves none running, which would keep this process alive, too.
 */
export const keepServer = async (options: KeeperOptions, stop: AbortSignal): Promise<void> => {
  const files = serverFiles(options.dataDir)
  mkdirSync(files.users, { recursive: true, mode: 0o700 })
  const lock = await becomeKeeper(options, stop)
  if (lock === undefined) return
  const mark = directoryMark(options)
  const isOwnDirectory = (): boolean => directoryMark(options) === mark
  const wakeUp = watchForWakeUps(files.users)
  const launch = { ...options, onExit: wakeUp.now, stop }
  let ui: UiProxy | undefined
  try {
    rmSync(files.record, { force: true })
    const adopted = await adoptTemporal(launch)
    ui = await openUi(launch, adopted)
    const first = adopted ?? (await launchTemporal(launch, ui.port))
    await serveUsers(launch, { server: { ...first, uiPort: ui.port }, ui, wakeUp, isOwnDirectory })
  } finally {
    if (isOwnDirectory()) rmSync(files.record, { force: true })
    wakeUp.close()
    await ui?.close()
    lock.release()
  }
}

/** Opens the proxy of the UI, on the port of the last server if it is free. If it cannot be opened, a server that was adopted is stopped. */
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
  readonly wakeUp: WakeUp
  /** Returns false if the data directory was removed, or removed and created again: then this server is no longer needed. */
  isOwnDirectory(): boolean
}

/** Keeps a server running as long as it has users, and then stops it. It is also stopped if anything fails, such as a write to a removed directory. */
const serveUsers = async (
  options: LaunchOptions,
  { server: first, ui, wakeUp, isOwnDirectory }: Service,
): Promise<void> => {
  const { stop } = options
  const files = serverFiles(options.dataDir)
  const databaseWatch = watchDatabase(options)
  const publish = (): void => writeWhole(files.record, describe(server, ui))
  let server = first
  let lastUsedAt = performance.now()
  let wasUsed = false
  let relaunchAt = 0
  let failures = 0
  try {
    ui.serve(server)
    if (isOwnDirectory()) writeWhole(files.process, server)
    while (isOwnDirectory()) {
      if (!existsSync(files.record)) publish()
      sweepLeases(files.users)
      const isUsed = hasUsers(options)
      if (isUsed || wasUsed) lastUsedAt = performance.now()
      wasUsed = isUsed
      const isUnused = performance.now() - lastUsedAt >= options.lingerMs
      if (stop.aborted || isUnused) {
        rmSync(files.record, { force: true })
        // A user writes its lease before it reads the record, so a user that has just arrived is found here.
        if (!stop.aborted && hasUsers(options)) publish()
        else break
      }
      await databaseWatch(server)
      if (!isAlive(server) && performance.now() >= relaunchAt) {
        const relaunched = await relaunchTemporal(options, server)
        failures = relaunched === undefined ? failures + 1 : 0
        relaunchAt = performance.now() + relaunchDelayMs(failures)
        server = relaunched ?? server
        ui.serve(server)
        publish()
      }
      const isQuiet = isUsed && isAlive(server) && wakeUp.isWatching()
      await wakeUp.wait(isQuiet ? quietPollMs : options.pollMs, stop)
    }
  } finally {
    await stopTemporal(server, options.stopGraceMs)
  }
}

/**
 * How often the keeper checks while its server is running and in use. A new or ended user and an ended server wake it up; these checks find a user that
 * was killed, and the end of a server that an earlier keeper started.
 */
const quietPollMs = 1_000
const databaseLookMs = 5_000
/** How soon a database that seems stuck is checked again. */
const secondLookMs = 1_000
const databaseTimeoutMs = 1_000
const looksBeforeStop = 2

/** Stops a server whose database is stuck in two consecutive checks, so that it is started again like one that died. */
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

const hasUsers = (options: KeeperOptions): boolean => liveLeases(serverFiles(options.dataDir).users).length > 0

const describe = (server: TemporalProcessRecord, ui: UiProxy): ServerRecord => {
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

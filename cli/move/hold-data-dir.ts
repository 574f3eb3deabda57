import { randomUUID } from "node:crypto"
import { mkdir } from "node:fs/promises"
import { setTimeout as delay } from "node:timers/promises"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { liveLeases } from "../../server/keeper/user-lease.ts"
import { stopLeftServers } from "../../server/keeper/launch-temporal.ts"
import { shellQuote } from "../../domain/text/shell-quote.ts"
import { findService, requestStop } from "../../service/ask-service.ts"
import { holdService, type ServiceHold, waitForEnd } from "../../service/hold-service.ts"
import { type ExclusiveLock, tryLock } from "../../server/process/exclusive-lock.ts"
import { serverFiles } from "../../server/process/server-files.ts"

const endMs = 30_000
const retryEveryMs = 100

const reasons = {
  runs: "works on tasks",
  deliveries: "delivers messages",
} as const

const inUse = (dataDir: string, by: string, end: string): AdjutantError =>
  new AdjutantError("data_dir_unusable", `${dataDir} is in use by ${by}: end it first, for example with ${end}`)

const requireNoUsers = (dataDir: string): void => {
  const users = liveLeases(serverFiles(dataDir).users)
  const [first] = users
  if (first === undefined) return
  const names = users.map(({ pid, purpose }) => `adjutant ${purpose} (process ${pid})`)
  throw inUse(dataDir, names.join(", "), `kill ${first.pid}`)
}

/** Ends a service that has nothing to do and no other command: it would only wait for the end of its idle time. */
const endIdleService = async (dataDir: string): Promise<void> => {
  const command = randomUUID()
  const found = await findService(dataDir, command)
  if (found === undefined) return
  const { stopping, waits } = await requestStop(found.socket, { now: false, by: "last-command" }, command)
  // A process that uses it is named below.
  if (!stopping && waits !== null && waits !== "other-commands")
    throw inUse(
      dataDir,
      `its service, which ${reasons[waits]}`,
      `adjutant --data-dir ${shellQuote(dataDir)} service stop`,
    )
  if (stopping) await waitForEnd(dataDir, new AbortController().signal)
}

/** Takes the lock of a data directory's service, so that none starts. */
const holdOwnService = (dataDir: string): ServiceHold => {
  const hold = holdService(dataDir)
  if (hold === undefined) throw inUse(dataDir, "its service", `adjutant --data-dir ${shellQuote(dataDir)} service stop`)
  return hold
}

/**
 * Takes the locks of a data directory's service and server, so that none starts. Waits for one that ends by itself because nobody uses it any more.
 * @throws AdjutantError `data_dir_unusable` if a process uses it
 */
export const holdDataDir = async (dataDir: string): Promise<ExclusiveLock> => {
  await endIdleService(dataDir)
  // Their processes are the more exact answer: the service can be that of `adjutant dev`.
  requireNoUsers(dataDir)
  const service = holdOwnService(dataDir)
  try {
    const server = await holdServer(dataDir)
    return {
      release: () => {
        server.release()
        service.release({ clean: true })
      },
    }
  } catch (error) {
    service.release({ clean: true })
    throw error
  }
}

const holdServer = async (dataDir: string): Promise<ExclusiveLock> => {
  const { directory, keeperLock } = serverFiles(dataDir)
  await mkdir(directory, { recursive: true, mode: 0o700 })
  for (let waitedMs = 0; ; waitedMs += retryEveryMs) {
    requireNoUsers(dataDir)
    const lock = tryLock(keeperLock)
    if (lock !== undefined) {
      // One whose users were killed runs for a while.
      await stopLeftServers({ dataDir, stopGraceMs: endMs })
      return lock
    }
    if (waitedMs >= endMs)
      throw new AdjutantError(
        "data_dir_unusable",
        `the Temporal server of ${dataDir} does not end: stop it, then move the data directory`,
      )
    await delay(retryEveryMs)
  }
}

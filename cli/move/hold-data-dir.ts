import { mkdir } from "node:fs/promises"
import { setTimeout as delay } from "node:timers/promises"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { liveLeases } from "../../server/keeper/user-lease.ts"
import { type ExclusiveLock, tryLock } from "../../server/process/exclusive-lock.ts"
import { serverFiles } from "../../server/process/server-files.ts"

const endMs = 30_000
const retryEveryMs = 100

/**
 * Takes the lock of a data directory's server, so that none starts. Waits for one that ends by itself because nobody uses it any more.
 * @throws AdjutantError `data_dir_unusable` if a process uses it
 */
export const holdDataDir = async (dataDir: string): Promise<ExclusiveLock> => {
  const { directory, users, keeperLock } = serverFiles(dataDir)
  await mkdir(directory, { recursive: true, mode: 0o700 })
  for (let waitedMs = 0; ; waitedMs += retryEveryMs) {
    const used = liveLeases(users).map(({ pid, purpose }) => `adjutant ${purpose} (process ${pid})`)
    if (used.length > 0)
      throw new AdjutantError(
        "data_dir_unusable",
        `${dataDir} is in use by ${used.join(", ")}: end it first, for example with kill ${liveLeases(users)[0]?.pid ?? ""}`,
      )
    const lock = tryLock(keeperLock)
    if (lock !== undefined) return lock
    if (waitedMs >= endMs)
      throw new AdjutantError(
        "data_dir_unusable",
        `the Temporal server of ${dataDir} does not end: stop it, then move the data directory`,
      )
    await delay(retryEveryMs)
  }
}

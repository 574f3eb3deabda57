import { randomUUID } from "node:crypto"
import { join, relative } from "node:path"
import { errorMessage } from "../../domain/text/error-message.ts"
import { isInside } from "../../domain/workspace/is-inside.ts"
import { foldersNamed } from "../../domain/workspace/possible-paths.ts"
import type { FixedPaths } from "../../domain/workspace/protected-paths.ts"
import { type PlantedPath, restoringShellCommand } from "../../domain/workspace/planted-paths.ts"
import { shownPath } from "../disk/disk-path.ts"
import { checkWorkspace, type Difference } from "./check-workspace.ts"
import { describeBefore } from "./describe-before.ts"
import type { ProtectionScope } from "./find-protected.ts"
import { type HeldDirectory, holdDirectory } from "../disk/held-directory.ts"
import { clearSetId, setIdFiles } from "./set-id-files.ts"
import { sandboxUnavailable } from "../sandbox-unavailable.ts"
import { realPaths } from "./link-steps.ts"
import { quarantineName } from "./quarantine.ts"
import { withTree } from "./tree-lock.ts"
import {
  watchedPlace,
  readRecords,
  readState,
  relocate,
  removeRecord,
  storeRecord,
  type WatchedEntry,
  type WatchingWorker,
  type WatchRecord,
} from "./watch-record.ts"

export interface GuardOptions {
  /** Real path of the data directory, which no confined command reaches. */
  readonly dataDir: () => Promise<string>
  /** Identifies this process. */
  readonly worker: WatchingWorker
  /** Checks whether a process of the same machine has ended. */
  readonly hasDied: (worker: WatchingWorker) => boolean
  /** With more directories, commands are refused. */
  readonly maxDirectories?: number
}

export interface GuardedCommand extends Pick<ProtectionScope, "cwd" | "namedFiles" | "hidden"> {
  readonly sessionId: string
  /** Whether the command could set the setuid and setgid bits of files. */
  readonly canSetIds: boolean
}

/** The watch over one command. */
export interface Watch {
  /** What the sandbox must make read-only. */
  readonly fixed: FixedPaths
  /** Checks the working directory. Called once, when all processes of the command have ended. */
  end(): Promise<readonly PlantedPath[]>
}

/** What was found after a command whose worker died. */
export interface LateFinding {
  readonly sessionId: string
  readonly cwd: string
  readonly planted: readonly PlantedPath[]
}

/** Keeps confined commands from planting code that programs outside run. */
export interface WorkspaceGuard {
  /** Called before a command. @throws AdjutantError `sandbox_unavailable` if the working directory cannot be protected */
  begin(command: GuardedCommand): Promise<Watch>
  /** Checks the working directories of commands whose worker died. */
  checkAbandoned(): Promise<readonly LateFinding[]>
}

/** The time after which a command of another machine, whose processes cannot be seen, counts as abandoned. */
const elsewhereLimitMs = 24 * 3_600_000
/** What is kept of all files of a command. Others are compared, but cannot be restored. */
const maxStoredBytes = 64 * 1024 * 1024

const planted = (cwd: string, { path, ...rest }: Difference): PlantedPath => ({
  ...rest,
  path: shownPath(relative(cwd, path)),
  ...(rest.movedTo === undefined ? {} : { restore: restoringShellCommand(rest.movedTo, path) }),
})

/** Collects the bytes of contents, as many as are stored. */
const createBytes = () => {
  const bytes = new Map<string, Uint8Array>()
  let left = maxStoredBytes
  const keep = (hash: string, content: Uint8Array): void => {
    if (bytes.has(hash) || content.length > left) return
    left -= content.length
    bytes.set(hash, content)
  }
  return { bytes, keep }
}

interface Present {
  readonly dataDir: string
  readonly cwd: string
  readonly entries: readonly WatchedEntry[]
  readonly keep: (hash: string, content: Uint8Array) => void
}

/**
 * Returns the state to which a command is compared. Where other commands that run now can write, it is the state before those: what one of
 * them has planted must not count as the state before this one.
 */
const stateBefore = async ({ dataDir, cwd, entries, keep }: Present): Promise<readonly WatchedEntry[]> => {
  const before = new Map(entries.map((entry) => [entry.path, entry]))
  for (const [id, record] of await readRecords(dataDir)) {
    const common = isInside(cwd, record.cwd) ? record.cwd : cwd
    if (!isInside(record.cwd, common)) continue
    const state = await readState(dataDir, id, record)
    const named = new Set(await realPaths(record.namedFiles))
    const folders = await realPaths(foldersNamed(record.namedFiles))
    const isNamedThere = (path: string): boolean => named.has(path) || folders.some((folder) => isInside(folder, path))
    for (const { path, isNamed } of [...before.values()])
      // A file that only this command's configuration names was not protected from the other command.
      if (isInside(common, path) && (!isNamed || isNamedThere(path))) before.delete(path)
    for (const entry of state.entries.values()) {
      if (!isInside(common, entry.path)) continue
      before.set(entry.path, entry)
      if (entry.content.type !== "file") continue
      const bytes = await state.bytes(entry.content.hash)
      if (bytes !== undefined) keep(entry.content.hash, bytes)
    }
  }
  return [...before.values()]
}

/** Removes the setuid and setgid bits that files did not have before. A file that was changed meanwhile loses them as well. */
const clearNewSetIds = async ({ cwd, hidden, setIds }: WatchRecord): Promise<readonly Difference[]> => {
  if (setIds === undefined) return []
  const known = new Set(setIds)
  const differences: Difference[] = []
  for (const { path, identity } of await setIdFiles({ cwd, hidden }, true)) {
    if (known.has(identity)) continue
    const problem = await clearSetId(path).then(() => undefined, errorMessage)
    differences.push(problem === undefined ? { path, state: "cleared" } : { path, state: "left", problem })
  }
  return differences
}

/** Returns where the working directory of a command is, or was when it could be found last. */
const nowAt = async (record: WatchRecord): Promise<string> => {
  const place = await watchedPlace(record)
  return typeof place === "string" ? record.cwd : place.path
}

/** Reports that what a command did in its working directory is unknown. */
const unchecked = (path: string, why: string): Difference => ({
  path,
  state: "left",
  problem: `it could not be checked: ${why}`,
})

/** A command that still runs can move the directory of another one again and again: give up after this many tries. */
const maxMoves = 3

/** Checks the directory in which a command ran, also if it was moved. A new directory at its earlier path is not touched. */
const compareHeld = async (
  record: WatchRecord,
  compareAt: (record: WatchRecord) => Promise<readonly Difference[]>,
): Promise<readonly Difference[]> => {
  const differences: Difference[] = []
  let checked: string | undefined
  for (let moves = 0; moves < maxMoves; moves += 1) {
    const place = await watchedPlace(record)
    if (place === "gone") return differences
    if (place === "unknown")
      return [...differences, ...(await compareAt(record)), unchecked(record.cwd, "it was moved or replaced")]
    if (place.path === checked) return differences
    if (place.path !== record.cwd) differences.push({ path: place.path, state: "moved" })
    differences.push(...(await compareAt(relocate(record, place.path))))
    checked = place.path
  }
  const place = await watchedPlace(record)
  if (typeof place !== "string" && place.path === checked) return differences
  return [...differences, unchecked(record.cwd, "it was moved again and again meanwhile")]
}

/** @throws AdjutantError `sandbox_unavailable` */
const hold = (cwd: string): ReturnType<typeof holdDirectory> =>
  holdDirectory(cwd).catch((error: unknown) => {
    throw sandboxUnavailable(
      `${cwd} cannot be opened as a working directory (${errorMessage(error)}); use an existing directory without links`,
    )
  })

/** Compares what is protected with the record of a command, and removes the record. */
const compareRecord = async (place: string, id: string, record: WatchRecord): Promise<readonly Difference[]> => {
  try {
    return await compareHeld(record, async (now) => {
      const state = await readState(place, id, now)
      const quarantine = join(place, quarantineName, now.sessionId)
      return [...(await checkWorkspace({ record: now, state, quarantine })), ...(await clearNewSetIds(now))]
    })
  } catch (error) {
    return [unchecked(record.cwd, errorMessage(error))]
  } finally {
    await removeRecord(place, id)
  }
}

type BeginOptions = Pick<GuardOptions, "dataDir" | "worker" | "maxDirectories"> & { readonly held: HeldDirectory }

/** Records what is protected before a command. @throws AdjutantError `sandbox_unavailable` */
const recordBefore = async (
  { cwd, sessionId, namedFiles, hidden, canSetIds }: GuardedCommand,
  { dataDir, worker, maxDirectories, held }: BeginOptions,
): Promise<{ readonly id: string; readonly record: WatchRecord; readonly fixed: FixedPaths }> => {
  const { bytes, keep } = createBytes()
  const { entries, fixed } = await describeBefore({ cwd, namedFiles, hidden, maxDirectories }, keep)
  const place = await dataDir()
  const id = randomUUID()
  const before = {
    ...{ worker, startedAt: Date.now(), sessionId, cwd, held, namedFiles: [...namedFiles], hidden: [...hidden] },
    entries: [...(await stateBefore({ dataDir: place, cwd, entries, keep }))],
    ...(canSetIds ? { setIds: (await setIdFiles({ cwd, hidden }, false)).map(({ identity }) => identity) } : {}),
  }
  return { id, fixed, record: await storeRecord(place, id, before, bytes) }
}

/** Creates the guard of a worker. */
export const createWorkspaceGuard = ({ dataDir, worker, hasDied, maxDirectories }: GuardOptions): WorkspaceGuard => {
  /** What was found while each command of this worker ran, by the ids of records. */
  const running = new Map<string, { readonly record: WatchRecord; readonly found: Difference[] }>()

  const check = async (id: string, record: WatchRecord): Promise<readonly PlantedPath[]> =>
    withTree(await nowAt(record), async () => {
      const differences = await compareRecord(await dataDir(), id, record)
      const earlier = running.get(id)?.found ?? []
      running.delete(id)
      for (const other of running.values()) {
        const cwd = await nowAt(other.record)
        other.found.push(...differences.filter(({ path, state }) => state !== "moved" && isInside(cwd, path)))
      }
      return [...earlier, ...differences].map((difference) => planted(record.cwd, difference))
    })

  const checkAbandoned = async (): Promise<readonly LateFinding[]> => {
    const findings: LateFinding[] = []
    for (const [id, record] of await readRecords(await dataDir())) {
      const isOver =
        record.worker.machine === worker.machine
          ? hasDied(record.worker)
          : Date.now() - record.startedAt > elsewhereLimitMs
      if (!isOver) continue
      const found = await check(id, record)
      if (found.length > 0) findings.push({ sessionId: record.sessionId, cwd: record.cwd, planted: found })
    }
    return findings
  }

  const begin = async (command: GuardedCommand): Promise<Watch> => {
    const { held, handle } = await hold(command.cwd)
    try {
      const { id, record, fixed } = await recordBefore(command, { dataDir, worker, maxDirectories, held })
      running.set(id, { record, found: [] })
      const end = async () => {
        await using _ = handle
        return await check(id, record)
      }
      return { fixed, end }
    } catch (error) {
      await handle.close()
      throw error
    }
  }

  return { begin: (command) => withTree(command.cwd, () => begin(command)), checkAbandoned }
}

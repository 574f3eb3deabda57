import { randomUUID } from "node:crypto"
import { readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import { errorMessage } from "../../domain/text/error-message.ts"
import type { FixedPaths } from "../../domain/workspace/protected-paths.ts"
import type { PlantedPath } from "../../domain/workspace/planted-paths.ts"
import { sandboxUnavailable } from "../sandbox/sandbox-unavailable.ts"
import { checkWorkspace } from "./check-workspace.ts"
import { findInner, findProtected, fixedPaths, type ProtectionScope } from "./find-protected.ts"
import { quarantineName } from "./quarantine.ts"
import { maxScannedDirectories, type ProtectedEntry, TooManyDirectories } from "./scan-protected.ts"
import {
  readApprovals,
  readRecords,
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
}

export interface GuardedCommand extends Omit<ProtectionScope, "unlock"> {
  readonly sessionId: string
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

/** A sandbox has about three arguments for each, and bubblewrap accepts 9,000. */
const maxFixedPaths = 2_000
/** The time after which a command of another machine, whose processes cannot be seen, counts as abandoned. */
const elsewhereLimitMs = 24 * 3_600_000
const maxLinkedBytes = 1024 * 1024

const tooMany = (cwd: string, what: string): Error =>
  sandboxUnavailable(`commands cannot be confined in ${cwd}, since it contains ${what}; work in a smaller directory`)

const withContent = async (cwd: string, entry: ProtectedEntry): Promise<WatchedEntry> => {
  if (entry.type !== "file" || entry.links < 2) return entry
  const path = join(cwd, entry.path)
  const found = await stat(path).catch(() => undefined)
  if (found === undefined || found.size > maxLinkedBytes) return entry
  const content = await readFile(path).catch(() => undefined)
  return content === undefined ? entry : { ...entry, content: content.toString("base64"), mode: found.mode & 0o7777 }
}

const describeBefore = async (command: GuardedCommand) => {
  const { cwd } = command
  const entries = await findProtected({ ...command, unlock: false })
  const inner = await findInner(cwd, entries)
  const fixed = await fixedPaths(cwd, [...entries, ...inner])
  if (fixed.readOnly.length + fixed.pinned.length > maxFixedPaths)
    throw tooMany(cwd, `more than ${maxFixedPaths} protected files and directories on the way to them`)
  return { fixed, entries: await Promise.all([...entries, ...inner].map((entry) => withContent(cwd, entry))) }
}

const unchecked = (record: WatchRecord, error: unknown): readonly PlantedPath[] => [
  {
    path: ".",
    state: "left",
    problem:
      error instanceof TooManyDirectories
        ? `more than ${maxScannedDirectories} directories in ${record.cwd} cannot be checked`
        : errorMessage(error),
  },
]

/** Creates the guard of a worker. */
export const createWorkspaceGuard = ({ dataDir, worker, hasDied }: GuardOptions): WorkspaceGuard => {
  const check = async (id: string, record: WatchRecord): Promise<readonly PlantedPath[]> => {
    const place = await dataDir()
    const quarantine = join(place, quarantineName, record.sessionId)
    try {
      const approvals = await readApprovals(place, id)
      const planted = await checkWorkspace({ record, quarantine, approvals })
      await removeRecord(place, id)
      return planted
    } catch (error) {
      await removeRecord(place, id)
      return unchecked(record, error)
    }
  }

  const checkAbandoned = async (): Promise<readonly LateFinding[]> => {
    const findings: LateFinding[] = []
    for (const [id, record] of await readRecords(await dataDir())) {
      const isOver =
        record.worker.machine === worker.machine
          ? hasDied(record.worker)
          : Date.now() - record.startedAt > elsewhereLimitMs
      if (!isOver) continue
      const planted = await check(id, record)
      if (planted.length > 0) findings.push({ sessionId: record.sessionId, cwd: record.cwd, planted })
    }
    return findings
  }

  return {
    async begin(command) {
      const { cwd, sessionId, namedFiles, hidden } = command
      const { fixed, entries } = await describeBefore(command).catch((error: unknown) => {
        if (error instanceof TooManyDirectories) throw tooMany(cwd, `more than ${maxScannedDirectories} directories`)
        throw error
      })
      const id = randomUUID()
      const startedAt = Date.now()
      const record = {
        worker,
        startedAt,
        sessionId,
        cwd,
        namedFiles: [...namedFiles],
        hidden: [...hidden],
        entries: [...entries],
      }
      await storeRecord(await dataDir(), id, record)
      return { fixed, end: () => check(id, record) }
    },
    checkAbandoned,
  }
}

import { spawn } from "node:child_process"
import { closeSync, existsSync, mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as delay } from "node:timers/promises"
import { z } from "zod"
import { packageRoot } from "../config/package-root.ts"
import { AdjutantError } from "../contracts/adjutant-error.ts"
import { openLog } from "../server/process/append-log.ts"
import { tryLock } from "../server/process/exclusive-lock.ts"
import { readWhole, writeWhole } from "../server/process/server-files.ts"
import { temporalEnvironment } from "../server/process/temporal-process.ts"
import { packageVersion } from "../worker/package-version.ts"
import {
  type FoundService,
  findService,
  findUsableService,
  isOutdated,
  requestStop,
  requireUsable,
} from "./ask-service.ts"
import { lastLogLines } from "./service-log.ts"
import { fromStdin, type ServiceStart } from "./read-service-start.ts"
import { serviceFiles } from "./service-files.ts"

/** Exit code of a service that refused its settings, such as the address of a wrong Temporal. That is no crash: the next command may bring other settings. */
const exitRefused = 2

export interface EnsureService {
  readonly dataDir: string
  readonly start: ServiceStart
  /** Options of Node. Those of a program that is not Adjutant can contain its own code (`node --eval`). */
  readonly nodeOptions: readonly string[]
  /** Gets lines for a person who waits. */
  readonly onProgress: (line: string) => void
  readonly signal: AbortSignal
  /** As for `requestStop`. */
  readonly command?: string
}

/** A line of the standard output of a service that starts. */
const startLineSchema = z.union([z.object({ progress: z.string() }), z.object({ ready: z.literal(true) })])

/** Returns a line of a service's output for the command that started it. */
export const startLine = (line: z.infer<typeof startLineSchema>): string => `${JSON.stringify(line)}\n`

const said = "adjutant: "

/** Returns the last lines of a log that say what a service ended with, each once: an error of a configuration has one for each key. */
const lastProblem = (lines: readonly string[]): string => {
  const last = lines.findLastIndex((line) => line.startsWith(said))
  const before = lines.findLastIndex((line, index) => index < last && !line.startsWith(said))
  return [...new Set(lines.slice(before + 1, last + 1))].map((line) => line.slice(said.length)).join("; ")
}

const startFailure = (dataDir: string, what: string): AdjutantError => {
  const { log } = serviceFiles(dataDir)
  const reason = lastProblem(lastLogLines(log, 20))
  return new AdjutantError("service_unavailable", `${what}${reason === "" ? "" : ` (${reason})`}: read ${log}`)
}

/** Returns the path of the program in this package. @throws AdjutantError `service_unavailable` if the package is not whole */
export const requireProgram = (root: string): string => {
  const program = join(root, "bin/adjutant.js")
  if (existsSync(program)) return program
  throw new AdjutantError(
    "service_unavailable",
    `the service cannot be started, because its program ${program} does not exist: install the package adjutant again, or, if a bundle contains it, leave it out of the bundle`,
  )
}

/**
 * Lets the threads of the service share two arenas of the C library. By default there are eight per core, of which each keeps what its thread has freed:
 * measured with a hundred sessions, 25 to 45 MB more, for the same processor time.
 */
const fewArenas = { MALLOC_ARENA_MAX: "2" }

/** Starts the process and waits until it answers or ends. It outlives this one. */
const spawnService = async (
  program: string,
  { dataDir, start, nodeOptions, onProgress, signal }: EnsureService,
): Promise<void> => {
  const log = openLog(serviceFiles(dataDir).log)
  const child = spawn(process.execPath, [...nodeOptions, program, "service", "run", fromStdin], {
    detached: true,
    cwd: dataDir,
    stdio: ["pipe", "pipe", log],
    env: { ...temporalEnvironment(process.env), ...fewArenas },
  })
  closeSync(log)
  const { stdin, stdout } = child
  if (stdin === null || stdout === null) throw new Error("the service has no pipes")
  const ended = new Promise<void>((resolve) => {
    child.once("error", () => resolve())
    child.once("exit", (code) => {
      if (code === exitRefused) rmSync(serviceFiles(dataDir).starts, { force: true })
      resolve()
    })
  })
  // A process that ends at once closes its input before it has read it.
  stdin.on("error", () => undefined)
  stdin.end(JSON.stringify(start))
  const lines = createInterface({ input: stdout })
  const ready = new Promise<void>((resolve) => {
    lines.on("line", (text) => {
      const line = startLineSchema.parse(JSON.parse(text))
      if ("progress" in line) onProgress(line.progress)
      else resolve()
    })
  })
  const aborted = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }))
  await Promise.race([ready, ended, aborted])
  lines.close()
  stdout.destroy()
  // Only now: until then its end has to be noticed.
  child.unref()
}

const startsWindowMs = 60_000
const mostDeaths = 3

const isTimes = (value: unknown): value is readonly number[] => z.array(z.number()).safeParse(value).success

/** Returns the starts of the last minute whose services were not ended on purpose. */
const recentStarts = (dataDir: string, now: number): readonly number[] =>
  (readWhole(serviceFiles(dataDir).starts, isTimes) ?? []).filter((at) => now - at < startsWindowMs && at <= now)

/** Returns whether so many services ended within a minute, not on purpose, that none is started for now. */
export const diesAtStart = (dataDir: string): boolean => recentStarts(dataDir, Date.now()).length >= mostDeaths

/** Notes a start. Refuses it after three services within a minute that did not end on purpose. */
const noteStart = (dataDir: string): void => {
  const now = Date.now()
  if (diesAtStart(dataDir))
    throw startFailure(
      dataDir,
      `the service ended ${mostDeaths} times within a minute, and is not started again for now`,
    )
  writeWhole(serviceFiles(dataDir).starts, [...recentStarts(dataDir, now), now])
}

/** Returns whether a process has the lock of the service at this moment. */
export const isHeld = (dataDir: string): boolean => {
  const file = serviceFiles(dataDir).lock
  if (!existsSync(file)) return false
  const lock = tryLock(file)
  lock?.release()
  return lock === undefined
}

const retryEveryMs = 50
const longestStartMs = 600_000

/** Asks the service of an older build to end, and waits until its calls in flight have ended. The service of this build or of a newer one is left alone. */
const takeOverFromOlder = async ({ dataDir, onProgress, signal, command }: EnsureService): Promise<void> => {
  const found = await findService(dataDir, command)
  if (found === undefined || !isOutdated(found.status)) return
  const { pid, version } = found.status
  await requestStop(found.socket, { now: false, by: "newer-build" }, command)
  onProgress(
    `the service ${pid} hands over from Adjutant ${version} to ${packageVersion()} when its calls in flight have ended; adjutant service stop --now does not wait`,
  )
  while ((await findService(dataDir, command))?.status.pid === pid) await delay(retryEveryMs, undefined, { signal })
}

/** Returns the service that this build uses; undefined if none answers, or one that is to hand over to this build. */
const findCurrentService = async ({
  dataDir,
  command,
}: Pick<EnsureService, "dataDir" | "command">): Promise<FoundService | undefined> => {
  const found = await findService(dataDir, command)
  return found === undefined || isOutdated(found.status) ? undefined : requireUsable(dataDir, found)
}

/**
 * Returns the service of a data directory, and starts it if none answers. Commands that start one at the same moment start one.
 * @throws AdjutantError `service_unavailable` with the reason and the path of the log
 */
export const ensureService = async (options: EnsureService): Promise<FoundService> => {
  const { dataDir, signal } = options
  const files = serviceFiles(dataDir)
  mkdirSync(files.directory, { recursive: true, mode: 0o700 })
  const untilMs = performance.now() + longestStartMs
  let starts = 0
  while (performance.now() < untilMs) {
    signal.throwIfAborted()
    const found = await findCurrentService(options)
    if (found !== undefined) return found
    // While it is held, no command of an older build starts another service.
    const lock = tryLock(files.startLock)
    if (lock !== undefined)
      try {
        await takeOverFromOlder(options)
        const other = await findCurrentService(options)
        if (other !== undefined) return other
        // A process that has the service's lock and does not answer starts or ends: it is waited for.
        if (!isHeld(dataDir)) {
          const program = requireProgram(packageRoot())
          noteStart(dataDir)
          starts += 1
          await spawnService(program, options)
          signal.throwIfAborted()
          const started = await findUsableService(dataDir, options.command)
          if (started !== undefined) return started
          // The first start may have met the end of the service before it.
          if (starts > 1 && !isHeld(dataDir)) throw startFailure(dataDir, "the service did not start")
        }
      } finally {
        lock.release()
      }
    await delay(retryEveryMs, undefined, { signal })
  }
  throw startFailure(dataDir, "the service did not start in time")
}

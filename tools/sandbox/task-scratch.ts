import { mkdir, realpath, rm } from "node:fs/promises"
import { scratchDirectory } from "../../domain/workspace/data-directory.ts"
import { sandboxUnavailable } from "../sandbox-unavailable.ts"
import type { Sandbox, SandboxRequest } from "./sandbox.ts"
import { bytesBelow, entriesBelow } from "./view/bytes-below.ts"

export interface ScratchLimits {
  /** Most bytes in the scratch folder. */
  readonly bytes: number
  /** How often they are counted while a command runs. */
  readonly everyMs: number
  /** Most entries of a working directory that are searched for sockets and pipes. */
  readonly entries: number
}

const defaultLimits: ScratchLimits = { bytes: 1024 * 1024 * 1024, everyMs: 500, entries: 1_000_000 }

/**
 * Returns the sockets and pipes of a working directory. A read-only mount does not keep a command from connecting to them or writing to them.
 * @throws AdjutantError `sandbox_unavailable` if the directory is too large to be searched
 */
const specialFiles = async (cwd: string, { entries }: ScratchLimits): Promise<readonly string[]> => {
  const found: string[] = []
  let seen = 0
  for await (const { path, entry } of entriesBelow(cwd)) {
    if (entry.isSocket() || entry.isFIFO()) found.push(path)
    seen += 1
    if (seen > entries)
      throw sandboxUnavailable(
        `${cwd} has more than ${entries} files, too many to search for sockets and pipes; run the task in a smaller directory`,
      )
  }
  return found
}

/** Stops a command whose scratch folder grows beyond its limit. */
const watchSize = (directory: string, { bytes, everyMs }: ScratchLimits) => {
  const tooMuch = new AbortController()
  let counting = false
  const timer = setInterval(() => {
    if (counting) return
    counting = true
    void bytesBelow(directory)
      .then((size) => (size > bytes ? tooMuch.abort() : undefined))
      .catch(() => undefined)
      .finally(() => (counting = false))
  }, everyMs)
  return {
    signal: tooMuch.signal,
    /** Returns why the folder was emptied; undefined if it is within its limit. */
    async end(): Promise<string | undefined> {
      clearInterval(timer)
      if (!tooMuch.signal.aborted && (await bytesBelow(directory)) <= bytes) return undefined
      await rm(directory, { recursive: true, force: true })
      return `The scratch folder grew beyond ${Math.floor(bytes / 1024 / 1024)} MiB, so it was emptied.`
    },
  }
}

/** Prepares the scratch folder of a command, and runs it within the folder's limit. */
const withScratch = async <Given extends SandboxRequest, Result>(
  command: Given,
  limits: ScratchLimits,
  run: (prepared: Given) => Promise<Result>,
): Promise<{ readonly result: Result; readonly emptied: string | undefined }> => {
  const { scratchDir = "", cwd, signal } = command
  await mkdir(scratchDir, { recursive: true, mode: 0o700 })
  const real = await realpath(scratchDir)
  const closedPaths = await specialFiles(cwd, limits)
  const size = watchSize(real, limits)
  let emptied: string | undefined
  try {
    const prepared = { ...command, scratchDir: real, closedPaths, signal: AbortSignal.any([signal, size.signal]) }
    const result = await run(prepared)
    emptied = await size.end()
    return { result, emptied }
  } finally {
    if (emptied === undefined) await size.end()
  }
}

const noBackground = (): never => {
  throw sandboxUnavailable(
    "commands of this task cannot run in the background; run the command without run_in_background",
  )
}

/**
 * Returns a sandbox that prepares commands with a scratch folder, and erases the folder with the last processes of its session. Other commands are
 * unchanged.
 */
export const withTaskScratch = (sandbox: Sandbox, dataDir: string, limits: ScratchLimits = defaultLimits): Sandbox => {
  const stopBackground = async (ownerId: string): Promise<void> => {
    await sandbox.stopBackground(ownerId)
    await rm(scratchDirectory(dataDir, ownerId), { recursive: true, force: true })
  }
  if (!sandbox.confined) return { ...sandbox, stopBackground }
  return {
    ...sandbox,
    stopBackground,
    async run(command) {
      if (command.scratchDir === undefined) return sandbox.run(command)
      if (command.background === true) return noBackground()
      const { result, emptied } = await withScratch(command, limits, (prepared) => sandbox.run(prepared))
      if (emptied === undefined) return result
      return { ...result, aborted: command.signal.aborted, exceeded: emptied }
    },
    async runProgram(program) {
      if (program.scratchDir === undefined) return sandbox.runProgram(program)
      const { result, emptied } = await withScratch(program, limits, (prepared) => sandbox.runProgram(prepared))
      if (emptied === undefined) return result
      return { ...result, stoppedFor: program.signal.aborted ? "abort" : null, exceeded: emptied }
    },
  }
}

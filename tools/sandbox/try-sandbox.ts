import { access, constants, mkdtemp, realpath, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { errorMessage } from "../../domain/text/error-message.ts"
import type { Sandbox, SandboxResult } from "./sandbox.ts"

/** Returns the first of these absolute paths that is an executable file. */
export const firstExecutable = async (paths: readonly string[]): Promise<string | undefined> => {
  for (const path of paths) {
    if (
      await access(path, constants.X_OK).then(
        () => true,
        () => false,
      )
    )
      return path
  }
  return undefined
}

/** Returns the paths at which systems install a program. */
export const usualPaths = (name: string): readonly string[] =>
  ["/usr/bin", "/usr/local/bin", "/bin", "/run/current-system/sw/bin"].map((directory) => `${directory}/${name}`)

const answer = "confined"
const opened = "opened"

/**
 * Opens a setting of the kernel for writing, without writing. A command that can change which program the kernel starts for a crash dump is not
 * confined; commands of a root worker could, unless the setting is hidden.
 */
const trial = `{ : >> /proc/sys/kernel/core_pattern; } 2>/dev/null && echo ${opened} || echo ${answer}`

/** Returns how a trial failed that ended by itself. Never names the answer of a trial that succeeded. */
const failedTrial = ({ exitCode, signal, exceeded, output }: SandboxResult): string => {
  const unexpected = output
    .split("\n")
    .map((line) => line.trim())
    .findLast((line) => line !== "" && line !== answer)
  if (exceeded !== undefined) return exceeded
  if (signal !== null) return `the trial was ended by ${signal}`
  if (exitCode === 0) return unexpected === undefined ? "the trial wrote nothing" : `the trial wrote "${unexpected}"`
  return unexpected === undefined ? `exit code ${exitCode ?? "unknown"}` : `${unexpected} (exit code ${exitCode})`
}

/** Runs one command. Returns undefined if it ran and was confined, otherwise what is wrong. */
export const trialFailure = async (sandbox: Sandbox, timeoutMs: number): Promise<string | undefined> => {
  const cwd = await realpath(await mkdtemp(join(tmpdir(), "adjutant-sandbox-")))
  try {
    const result = await sandbox.run({
      command: trial,
      cwd,
      env: {},
      timeoutMs,
      signal: new AbortController().signal,
      outputFile: join(cwd, "output.txt"),
      maxOutputBytes: 2_000,
      ownerId: "sandbox-trial",
    })
    const output = result.output.trim()
    if (result.exitCode === 0 && output === answer) return undefined
    if (result.exitCode === 0 && output === opened)
      return "a command could change the kernel's settings, since the worker is root; run the worker as another user"
    if (result.timedOut) return `the trial did not end within ${timeoutMs} ms`
    return failedTrial(result)
  } catch (error) {
    return errorMessage(error)
  } finally {
    await rm(cwd, { recursive: true, force: true })
  }
}

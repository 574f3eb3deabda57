import { access, constants, mkdtemp, realpath, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { errorMessage } from "../../domain/text/error-message.ts"
import type { Sandbox } from "./sandbox.ts"

/** The first of these absolute paths that is a program. */
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

/** Where systems install a program. */
export const usualPaths = (name: string): readonly string[] =>
  ["/usr/bin", "/usr/local/bin", "/bin", "/run/current-system/sw/bin"].map((directory) => `${directory}/${name}`)

const answer = "confined"
const opened = "opened"

/**
 * Opens a setting of the kernel for writing, and writes nothing: who can change which program the kernel starts for a crash dump is in no
 * sandbox, and a root worker's commands could where nothing hides it.
 */
const trial = `{ : >> /proc/sys/kernel/core_pattern; } 2>/dev/null && echo ${opened} || echo ${answer}`

/** Runs one command; undefined when it ran and was confined, else what is wrong. */
export const failureOf = async (sandbox: Sandbox, timeoutMs: number): Promise<string | undefined> => {
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
    return output.split("\n").at(-1) || `exit code ${result.exitCode ?? "unknown"}`
  } catch (error) {
    return errorMessage(error)
  } finally {
    await rm(cwd, { recursive: true, force: true })
  }
}

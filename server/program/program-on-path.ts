import { execFile } from "node:child_process"
import { accessSync, constants, statSync } from "node:fs"
import { delimiter, isAbsolute, join } from "node:path"

/** Returns the absolute path of an executable file with this name on the PATH of `env`; undefined if there is none. */
export const programOnPath = (name: string, env: NodeJS.ProcessEnv): string | undefined =>
  (env["PATH"] ?? "")
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, name))
    .find(isExecutable)

export const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** Returns the version of the server in a `temporal` program, such as "1.29.1"; undefined if the program does not print it. */
export const serverVersionOf = (program: string, env: NodeJS.ProcessEnv): Promise<string | undefined> =>
  new Promise((resolve) => {
    execFile(
      program,
      ["--version"],
      { timeout: 20_000, env: { PATH: env["PATH"], HOME: env["HOME"] } },
      (error, stdout) => resolve(error === null ? /\(Server (\d+\.\d+\.\d+)/.exec(stdout)?.[1] : undefined),
    )
  })

/** Older servers lack features that sessions need: user metadata, and updates with results. */
export const oldestServerVersion = "1.27.0"

export const isRecentEnough = (version: string): boolean =>
  version.localeCompare(oldestServerVersion, "en", { numeric: true }) >= 0

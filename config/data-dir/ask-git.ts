import { execFile } from "node:child_process"
import { stat } from "node:fs/promises"
import { dirname, join } from "node:path"

/** Returns the git work tree that a path is in, whether the path exists or not; undefined if it is in none. */
export const workTreeOf = async (path: string): Promise<string | undefined> => {
  for (let at = path; ; at = dirname(at)) {
    const found = await stat(join(at, ".git")).catch(() => undefined)
    if (found !== undefined) return at
    if (dirname(at) === at) return undefined
  }
}

/** The repository cannot make git start a program, and the environment cannot point git to another repository. */
const safeSettings = ["-c", "core.fsmonitor=false", "-c", "safe.directory=*", "--no-replace-objects"]

export interface GitAnswer {
  /** Null if git succeeded. */
  readonly error: Error | null
  readonly stdout: string
  readonly stderr: string
}

/** Asks git about the repository of a directory. It starts no program of the repository and fetches nothing. */
export const askGit = (directory: string, ...args: readonly string[]): Promise<GitAnswer> =>
  new Promise((resolve) => {
    const env = { PATH: process.env["PATH"], LC_ALL: "C", GIT_NO_LAZY_FETCH: "1", GIT_OPTIONAL_LOCKS: "0" }
    const options = { env, maxBuffer: 1024 * 1024, timeout: 30_000 }
    execFile("git", [...safeSettings, "-C", directory, ...args], options, (error, stdout, stderr) =>
      resolve({ error, stdout, stderr }),
    )
  })

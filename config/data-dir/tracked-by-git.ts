import { execFile } from "node:child_process"
import { stat } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { systemCode } from "../../domain/text/error-message.ts"

const isInWorkTree = async (directory: string): Promise<boolean> => {
  for (let at = directory; ; at = dirname(at)) {
    const found = await stat(join(at, ".git")).catch(() => undefined)
    if (found !== undefined) return true
    if (dirname(at) === at) return false
  }
}

/** The repository cannot make git start a program, and the environment cannot point git to another repository. */
const safeSettings = ["-c", "core.fsmonitor=false", "-c", "safe.directory=*"]

type Tracked = "yes" | "no" | "unknown"

/** Returns whether the repository of a directory tracks a path below it. */
const tracks = async (directory: string, path: string): Promise<Tracked> => {
  if (!(await isInWorkTree(directory))) return "no"
  return new Promise((resolve) => {
    const options = { env: { PATH: process.env["PATH"], LC_ALL: "C" }, maxBuffer: 1024 * 1024, timeout: 30_000 }
    const args = [...safeSettings, "-C", directory, "ls-files", "--cached", "-z", "--", `:(literal)${path}`]
    execFile("git", args, options, (error, stdout, stderr) => {
      if (stdout.length > 0) resolve("yes")
      else if (error === null) resolve("no")
      // Without git, nobody cloned anything here.
      else resolve(systemCode(error) === "ENOENT" || /not a git repository/.test(stderr) ? "no" : "unknown")
    })
  })
}

/**
 * Returns whether git tracks any file of a directory; `unknown` if git cannot determine it. A directory that is a repository itself is also looked up in
 * the one around it, which it would hide.
 */
export const trackedByGit = async (directory: string): Promise<Tracked> => {
  const own = await tracks(directory, ".")
  return own === "no" ? await tracks(dirname(directory), basename(directory)) : own
}

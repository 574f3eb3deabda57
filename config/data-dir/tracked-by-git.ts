import { execFile } from "node:child_process"
import { stat } from "node:fs/promises"
import { dirname, join } from "node:path"
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

/** Returns whether git tracks any file of a directory; `unknown` if git cannot determine it. */
export const trackedByGit = async (directory: string): Promise<"yes" | "no" | "unknown"> => {
  if (!(await isInWorkTree(directory))) return "no"
  return new Promise((resolve) => {
    const options = { env: { PATH: process.env["PATH"], LC_ALL: "C" }, maxBuffer: 1024 * 1024, timeout: 30_000 }
    const args = [...safeSettings, "-C", directory, "ls-files", "--cached", "-z", "--", "."]
    execFile("git", args, options, (error, stdout, stderr) => {
      if (stdout.length > 0) resolve("yes")
      else if (error === null) resolve("no")
      // Without git, nobody cloned anything here.
      else resolve(systemCode(error) === "ENOENT" || /not a git repository/.test(stderr) ? "no" : "unknown")
    })
  })
}

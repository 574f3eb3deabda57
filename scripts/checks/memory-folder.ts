import { execFileSync } from "node:child_process"
import { mkdtempSync } from "node:fs"
import { rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { runCommand } from "./run-command.ts"

type Command = readonly [string, ...string[]]

const canMount = (): boolean => {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return false
  try {
    execFileSync("unshare", ["--mount", "true"], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

/** The mount belongs to the command's own namespace and ends with it. */
const mountAndRun = 'mount -t tmpfs -o mode=1777 adjutant-tests "$0" && TMPDIR="$0" exec "$@"'

/**
 * Runs a command whose temporary files are in memory where this process may mount that (Linux, as root), and on disk elsewhere. The stores and
 * servers of tests wait for the disk at each commit, for data that no test needs after a power cut: it is most of their time on a slow disk.
 */
export const runInMemory = async (command: Command, env: NodeJS.ProcessEnv = process.env): Promise<number> => {
  if (!canMount()) return await runCommand(command, env)
  const folder = mkdtempSync(path.join(tmpdir(), "adjutant-memory-"))
  try {
    return await runCommand(["unshare", "--mount", "sh", "-c", mountAndRun, folder, ...command], env)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"

/** Returns the command line of a process, starting with the program's name; empty if it cannot be read. */
export const processArguments = (pid: number): readonly string[] => {
  try {
    if (process.platform === "linux") return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0")
    // Splitting at blanks is enough: the values of the flags that are read contain none.
    const env = { PATH: process.env["PATH"] ?? "/bin:/usr/bin", LC_ALL: "C" }
    const text = execFileSync("ps", ["-ww", "-o", "args=", "-p", String(pid)], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      env,
    })
    return text.trim().split(/\s+/)
  } catch {
    return []
  }
}

/** Returns the argument after a flag. */
export const flagValue = (args: readonly string[], flag: string): string | undefined => {
  const at = args.indexOf(flag)
  return at === -1 ? undefined : args[at + 1]
}

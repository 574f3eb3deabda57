import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { identifyProcess, type ProcessIdentity } from "./process-identity.ts"

/** The arguments of a process, each with a space before it and after it. Undefined if it has ended, or belongs to another user. */
const argumentsOnLinux = (pid: string): string | undefined => {
  try {
    return ` ${readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")} `
  } catch {
    return undefined
  }
}

const processesOnLinux = (): readonly (readonly [pid: number, args: string])[] =>
  readdirSync("/proc").flatMap((name) => {
    const args = /^\d+$/.test(name) ? argumentsOnLinux(name) : undefined
    return args === undefined ? [] : [[Number(name), args] as const]
  })

const processesElsewhere = (): readonly (readonly [pid: number, args: string])[] =>
  execFileSync("ps", ["-axww", "-o", "pid=,args="], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] })
    .split("\n")
    .flatMap((line) => {
      const [, pid, args] = /^\s*(\d+) (.*)$/.exec(line) ?? []
      return pid === undefined || args === undefined ? [] : [[Number(pid), ` ${args} `] as const]
    })

/**
 * Returns the Temporal servers that have this database file open. A keeper that is killed between the start of its server and the record of it leaves one that
 * no record names: a second one on the same file would damage it.
 */
export const findLeftServers = (database: string): readonly ProcessIdentity[] => {
  const processes = process.platform === "linux" ? processesOnLinux() : processesElsewhere()
  return processes
    .filter(([, args]) => args.includes(` start-dev `) && args.includes(` --db-filename ${database} `))
    .flatMap(([pid]) => identifyProcess(pid) ?? [])
}

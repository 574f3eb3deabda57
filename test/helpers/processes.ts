import { readdirSync, readFileSync } from "node:fs"
import { untilPasses } from "./eventually.ts"

/** Returns whether a process runs. A zombie that has not been reaped yet does not. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return process.platform !== "linux" || !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))
  } catch {
    return false
  }
}

/** Returns the ids of the processes whose command line contains a text; on Linux. */
export const processesWith = (text: string): readonly number[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return pid !== process.pid && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(text)
      } catch {
        return false
      }
    })

/** Returns the process id that a program writes to a file, once it is there. */
export const pidIn = (file: string): Promise<number> =>
  untilPasses(() => {
    const pid = Number(readFileSync(file, "utf8"))
    if (!(pid > 0)) throw new Error(`${file} has no process id yet`)
    return pid
  })

/** Returns the ids of the processes below a process; on Linux. */
export const processesBelow = (pid: number): readonly number[] => {
  const parents = readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      const [, parent] = /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${name}/status`, "utf8")) ?? []
      return [[Number(name), Number(parent)] as const]
    } catch {
      return []
    }
  })
  const below = (of: number): readonly number[] =>
    parents.flatMap(([child, parent]) => (parent === of ? [child, ...below(child)] : []))
  return below(pid)
}

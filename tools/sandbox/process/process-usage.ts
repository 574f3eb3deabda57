import { readdir, readFile } from "node:fs/promises"

export interface ProcessUsage {
  readonly processes: number
  readonly memoryMb: number
  readonly cpuSeconds: number
}

/** USER_HZ, which is the same on all architectures that Node supports. */
const ticksPerSecond = 100
const kibibytesPerMb = 1024

const read = (path: string): Promise<string> => readFile(path, "utf8").catch(() => "")

/** Returns the children of a process, of all its threads. */
const childProcesses = async (pid: number): Promise<readonly number[]> => {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => [])
  const lists = await Promise.all(threads.map((thread) => read(`/proc/${pid}/task/${thread}/children`)))
  return lists.flatMap((list) => list.trim().split(" ")).flatMap((child) => (child === "" ? [] : [Number(child)]))
}

/** Returns the processes below one, at most slightly more than `enough`. In a process namespace, none can leave this tree. */
const descendantsOf = async (pid: number, enough: number): Promise<readonly number[]> => {
  const found: number[] = []
  let level: readonly number[] = [pid]
  while (level.length > 0 && found.length <= enough) {
    level = (await Promise.all(level.slice(0, enough + 1).map(childProcesses))).flat()
    found.push(...level)
  }
  return found
}

const fieldOf = (status: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0)

/** Memory that belongs to a process and not to a file. Processes after a fork share it, so that the sum over several can be too high. */
const privateKb = async (pid: number): Promise<number> => {
  const status = await read(`/proc/${pid}/status`)
  return fieldOf(status, "RssAnon") + fieldOf(status, "RssShmem") + fieldOf(status, "VmSwap")
}

/** The share of a process in what it uses together with others; it costs more to find out. */
const shareKb = async (pid: number): Promise<number> => {
  const rollup = await read(`/proc/${pid}/smaps_rollup`)
  return rollup === ""
    ? privateKb(pid)
    : fieldOf(rollup, "Pss_Anon") + fieldOf(rollup, "Pss_Shmem") + fieldOf(rollup, "SwapPss")
}

/** Returns the processor time of a process, and of its children that have ended, in ticks. */
const ticksOf = async (pid: number): Promise<number> => {
  const stat = await read(`/proc/${pid}/stat`)
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return fields.slice(11, 15).reduce((sum, field) => sum + (Number(field) || 0), 0)
}

const sum = async (pids: readonly number[], measure: (pid: number) => Promise<number>): Promise<number> =>
  (await Promise.all(pids.map(measure))).reduce((total, value) => total + value, 0)

/**
 * Returns what the processes below one use. Memory is measured exactly only if it may be more than `memoryMb`; with more than `maxProcesses`, only
 * the processes are counted.
 */
export const usageBelow = async (pid: number, memoryMb: number, maxProcesses: number): Promise<ProcessUsage> => {
  const pids = await descendantsOf(pid, maxProcesses)
  if (pids.length > maxProcesses) return { processes: pids.length, memoryMb: 0, cpuSeconds: 0 }
  const estimateMb = (await sum(pids, privateKb)) / kibibytesPerMb
  const exactMb = estimateMb > memoryMb ? (await sum(pids, shareKb)) / kibibytesPerMb : estimateMb
  return { processes: pids.length, memoryMb: exactMb, cpuSeconds: (await sum(pids, ticksOf)) / ticksPerSecond }
}

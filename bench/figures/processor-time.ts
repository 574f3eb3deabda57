import { readFileSync } from "node:fs"

/** Clock ticks per second in `/proc`: the same on every Linux that Node runs on. */
const ticksPerSecond = 100

/** Returns the processor time that a process has used so far, in seconds, user and system together (Linux). */
export const processorSeconds = (pid: number): number => {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  const ticks = Number(fields[11]) + Number(fields[12])
  if (!Number.isFinite(ticks)) throw new Error(`/proc/${pid}/stat has an unknown format`)
  return ticks / ticksPerSecond
}

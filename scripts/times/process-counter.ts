import { readdirSync, readFileSync } from "node:fs"

export interface StartedProcesses {
  /** Processes and threads that were created on the machine meanwhile. */
  readonly created: number
  readonly temporalServers: number
  readonly adjutantStarts: number
}

const isTemporalServer = (command: string): boolean => /(^|\/)temporal(-[\w.-]+)?\0server\0start-dev\0/.test(command)
const isAdjutant = (command: string): boolean => /\/(bin\/adjutant\.js|cli\/main\.(ts|js))\0/.test(command)

const readText = (file: string): string => {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return ""
  }
}

const countCreated = (): number => Number(/^processes (\d+)$/m.exec(readText("/proc/stat"))?.[1] ?? 0)

const listPids = (): readonly string[] => {
  try {
    return readdirSync("/proc").filter((name) => /^\d+$/.test(name))
  } catch {
    return []
  }
}

/**
 * Counts the processes that start on this machine, not only those of one parent: tests start programs that start others, with environments of
 * their own. Looks into `/proc` now and then, so that a process of less than `intervalMs` can be missed; on other systems it counts nothing.
 */
export const countProcesses = (intervalMs = 300): (() => StartedProcesses) => {
  const createdBefore = countCreated()
  const known = new Set(listPids())
  let temporalServers = 0
  let adjutantStarts = 0
  const look = () => {
    for (const pid of listPids()) {
      if (known.has(pid)) continue
      const command = readText(`/proc/${pid}/cmdline`)
      // A process that has not called exec yet shows its parent's command or none.
      if (command === "") continue
      known.add(pid)
      if (isTemporalServer(command)) temporalServers += 1
      else if (isAdjutant(command)) adjutantStarts += 1
    }
  }
  const timer = setInterval(look, intervalMs)
  timer.unref()
  return () => {
    clearInterval(timer)
    return { created: countCreated() - createdBefore, temporalServers, adjutantStarts }
  }
}

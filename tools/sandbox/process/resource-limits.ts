/** What one confined command can use, together with all processes that it starts. */
export interface ResourceLimits {
  readonly memoryMb: number
  readonly processes: number
  /** Processor time, summed over all processes. */
  readonly cpuSeconds: number
  /** Size of one file. */
  readonly fileMb: number
}

export const defaultResourceLimits: ResourceLimits = {
  memoryMb: 4_096,
  processes: 2_048,
  cpuSeconds: 3_600,
  fileMb: 10_240,
}

/** The limit that ended a command. */
export type ExceededLimit = "memoryMb" | "processes" | "cpuSeconds"

/** A guard, and bubblewrap's own processes inside and outside the namespace, which count in addition to those of a command. */
export const ownProcesses = 5

/** Threads that a command can have for each process, on average. */
const threadsPerProcess = 4

/**
 * Returns shell code that sets the limits which the kernel itself enforces: for each process its processor time and the size of files, and for all
 * of a user who is not root the number of threads. It is a backstop; `watchResources` counts the processes of a command. Core dumps are switched off.
 */
export const kernelLimits = ({ processes, cpuSeconds, fileMb }: ResourceLimits): string =>
  ["ulimit -c 0", `ulimit -t ${cpuSeconds}`, `ulimit -f ${fileMb * 1024}`, `ulimit -u ${processes * threadsPerProcess}`]
    // A lower limit may already apply.
    .map((limit) => `${limit} 2>/dev/null`)
    .join("; ")

/** Returns what a model is told if a limit ended its command. */
export const exceededResourceText = (exceeded: ExceededLimit, limits: ResourceLimits): string => {
  const setting = `(security.limits.${exceeded})`
  switch (exceeded) {
    case "memoryMb":
      return `The command used more than ${limits.memoryMb} MiB of memory ${setting} and was stopped with everything that it started. Process less data at a time.`
    case "processes":
      return `The command had more than ${limits.processes} processes ${setting} and was stopped with everything that it started. Start fewer at the same time.`
    case "cpuSeconds":
      return `The command used more than ${limits.cpuSeconds} seconds of processor time ${setting} and was stopped with everything that it started. Do less in one command.`
  }
}

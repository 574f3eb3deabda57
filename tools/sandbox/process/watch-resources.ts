import { setTimeout as delay } from "node:timers/promises"
import { usageBelow } from "./process-usage.ts"
import type { CommandCgroup } from "../cgroup/command-cgroup.ts"
import { type ExceededLimit, ownProcesses, type ResourceLimits } from "./resource-limits.ts"

export interface WatchedProcess {
  readonly pid: number
  readonly limits: ResourceLimits
  /** Its control group, in which the kernel enforces some of the limits. */
  readonly cgroup?: CommandCgroup | undefined
  /** Called once, with the first limit that is exceeded. */
  readonly onExceeded: (exceeded: ExceededLimit) => void
}

const everyMs = 200

const exceededBy = async ({ pid, limits, cgroup }: WatchedProcess): Promise<ExceededLimit | undefined> => {
  const enforced = await cgroup?.exceeded()
  if (enforced !== undefined) return enforced
  const usage = await usageBelow(pid, limits.memoryMb, limits.processes + ownProcesses)
  if (usage.processes > limits.processes + ownProcesses) return "processes"
  if (usage.memoryMb > limits.memoryMb) return "memoryMb"
  return usage.cpuSeconds > limits.cpuSeconds ? "cpuSeconds" : undefined
}

/** Watches what a process and all below it use, until `hasEnded`. Only Linux shows it. */
export const watchResources = async (watched: WatchedProcess, hasEnded: () => boolean): Promise<void> => {
  if (process.platform !== "linux") return
  while (!hasEnded()) {
    const exceeded = await exceededBy(watched)
    if (exceeded !== undefined && !hasEnded()) {
      watched.onExceeded(exceeded)
      return
    }
    await delay(everyMs, undefined, { ref: false })
  }
}

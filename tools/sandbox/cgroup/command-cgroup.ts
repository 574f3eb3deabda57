import { mkdir, readFile, readlink, rmdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { systemCode } from "../../../domain/text/error-message.ts"
import { type ExceededLimit, ownProcesses, type ResourceLimits } from "../process/resource-limits.ts"

/** The control group of one command: the kernel itself refuses what exceeds its limits. */
export interface CommandCgroup {
  readonly path: string
  /** Returns the limit that the kernel had to enforce; undefined if there was none. */
  exceeded(): Promise<ExceededLimit | undefined>
  /** Ends what is left in the group, and removes it. */
  remove(): Promise<void>
}

/** Returns the number of the namespace of this process's id; 0 if the system does not show it. */
const namespaceNumber = async (): Promise<string> => {
  const name = await readlink("/proc/self/ns/pid").catch(() => "")
  return /\d+/.exec(name)?.[0] ?? "0"
}

/**
 * Returns how the names of the groups start, followed by the worker's process id. Workers in several containers can have one parent, and
 * the same process id can belong to different processes there.
 */
export const cgroupPrefix = async (): Promise<string> => `adjutant-${await namespaceNumber()}-`

const removeEveryMs = 25
const removeTries = 80

/** Removes a group. It cannot be removed while processes in it are ending. */
export const removeCgroup = async (path: string): Promise<void> => {
  for (let attempt = 0; attempt < removeTries; attempt += 1) {
    await writeFile(join(path, "cgroup.kill"), "1").catch(() => undefined)
    try {
      await rmdir(path)
      return
    } catch (error) {
      if (systemCode(error) !== "EBUSY") return
    }
    await delay(removeEveryMs)
  }
}

const countIn = async (file: string, name: string): Promise<number> => {
  const text = await readFile(file, "utf8").catch(() => "")
  return Number(new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1] ?? 0)
}

/** Creates a group with the limits on memory and processes. Rejects if the system refuses it. */
export const createCommandCgroup = async (
  parent: string,
  { memoryMb, processes }: ResourceLimits,
  id: string,
): Promise<CommandCgroup> => {
  const path = join(parent, `${await cgroupPrefix()}${process.pid}-${id}`)
  const set = (name: string, value: string): Promise<void> => writeFile(join(path, name), value)
  await mkdir(path)
  try {
    await set("memory.max", String(memoryMb * 1024 * 1024))
    await set("pids.max", String(processes + ownProcesses))
    // The whole command ends, not the process that asked last.
    await set("memory.oom.group", "1")
    // Not every system counts swap.
    await set("memory.swap.max", "0").catch(() => undefined)
  } catch (error) {
    await removeCgroup(path)
    throw error
  }
  return {
    path,
    async exceeded() {
      if ((await countIn(join(path, "memory.events"), "oom_kill")) > 0) return "memoryMb"
      return (await countIn(join(path, "pids.events"), "max")) > 0 ? "processes" : undefined
    },
    remove: () => removeCgroup(path),
  }
}

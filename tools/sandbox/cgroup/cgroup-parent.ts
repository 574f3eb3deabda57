import { randomUUID } from "node:crypto"
import { readdir, readFile, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { isInside } from "../../../domain/workspace/is-inside.ts"
import { createCommandCgroup, cgroupPrefix, removeCgroup } from "./command-cgroup.ts"
import { defaultResourceLimits } from "../process/resource-limits.ts"

/** Where the system shows control groups; tests replace it. */
export interface CgroupSystem {
  /** Mount point of the cgroup filesystem, version 2. */
  readonly root: string
  /** File with the control group of this process. */
  readonly membership: string
}

const linuxCgroups: CgroupSystem = { root: "/sys/fs/cgroup", membership: "/proc/self/cgroup" }

const needed = ["memory", "pids"] as const

const words = async (file: string): Promise<readonly string[]> => (await readFile(file, "utf8")).trim().split(/\s+/)

/** Returns the directory of the control group of this process; undefined without version 2. */
const ownCgroup = async ({ root, membership }: CgroupSystem): Promise<string | undefined> => {
  const [, path] = /^0::(\/.*)$/m.exec(await readFile(membership, "utf8")) ?? []
  const own = path === undefined ? undefined : join(root, path)
  return own !== undefined && (own === root || isInside(root, own)) ? own : undefined
}

/** Lets the children of a control group have limits. The kernel refuses it while the group itself contains processes. */
const enableLimits = async (directory: string): Promise<void> => {
  const available = await words(join(directory, "cgroup.controllers"))
  if (!needed.every((name) => available.includes(name))) throw new Error("a controller is missing")
  const file = join(directory, "cgroup.subtree_control")
  const enabled = await words(file)
  const missing = needed.filter((name) => !enabled.includes(name))
  if (missing.length > 0) await writeFile(file, missing.map((name) => `+${name}`).join(" "))
}

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}

/** Removes the groups of workers that were killed, as far as their process ids mean something here. */
const removeAbandoned = async (directory: string): Promise<void> => {
  const ownName = new RegExp(`^${await cgroupPrefix()}(\\d+)-`)
  for (const name of await readdir(directory)) {
    const [, pid] = ownName.exec(name) ?? []
    if (pid !== undefined && !isRunning(Number(pid))) await removeCgroup(join(directory, name))
  }
}

/** Makes a group as for a command, to find out whether that works. */
const isUsable = async (directory: string): Promise<boolean> => {
  try {
    await enableLimits(directory)
    const trial = await createCommandCgroup(directory, defaultResourceLimits, randomUUID())
    await trial.remove()
    await removeAbandoned(directory)
    return true
  } catch {
    return false
  }
}

/**
 * Returns the directory in which this worker can create control groups with limits: next to its own group, or below it. Undefined if no such directory
 * was delegated to it.
 */
export const findCgroupParent = async (system: CgroupSystem = linuxCgroups): Promise<string | undefined> => {
  const own = await ownCgroup(system).catch(() => undefined)
  if (own === undefined) return undefined
  for (const directory of own === system.root ? [own] : [dirname(own), own])
    if (await isUsable(directory)) return directory
  return undefined
}

import { readdir, stat } from "node:fs/promises"
import type { Dirent } from "node:fs"
import { join } from "node:path"

/** A part of the system that a confined process sees as empty. */
export interface MaskedPath {
  readonly path: string
  readonly type: "file" | "directory"
}

const maxDepth = 8

/** Whether every user can read a file, or list and enter a directory. */
const isOpenToAll = (mode: number, directory: boolean): boolean => {
  const needed = directory ? 0o005 : 0o004
  return (mode & needed) === needed
}

const maskEntry = async (entry: Dirent, depth: number): Promise<readonly MaskedPath[]> => {
  const path = join(entry.parentPath, entry.name)
  const directory = entry.isDirectory()
  if (!directory && !entry.isFile()) return []
  const found = await stat(path).catch(() => undefined)
  if (found !== undefined && !isOpenToAll(found.mode, directory))
    return [{ path, type: directory ? "directory" : "file" }]
  return directory ? closedPaths(path, depth - 1) : []
}

/** Returns what is below a directory and not readable by every user of the machine, such as password hashes and private keys. */
export const closedPaths = async (directory: string, depth = maxDepth): Promise<readonly MaskedPath[]> => {
  if (depth === 0) return [{ path: directory, type: "directory" }]
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => [])
  return (await Promise.all(entries.map((entry) => maskEntry(entry, depth)))).flat()
}

/** Parts of `/proc` that show or change the whole machine. A privileged user could leave a sandbox through them. */
export const closedProcPaths: readonly MaskedPath[] = [
  { path: "/proc/acpi", type: "directory" },
  { path: "/proc/scsi", type: "directory" },
  { path: "/proc/kcore", type: "file" },
  { path: "/proc/keys", type: "file" },
  { path: "/proc/key-users", type: "file" },
  { path: "/proc/kmsg", type: "file" },
  { path: "/proc/kallsyms", type: "file" },
  { path: "/proc/kpagecount", type: "file" },
  { path: "/proc/kpageflags", type: "file" },
  { path: "/proc/kpagecgroup", type: "file" },
  { path: "/proc/mtrr", type: "file" },
  { path: "/proc/sysrq-trigger", type: "file" },
  { path: "/proc/timer_list", type: "file" },
  { path: "/proc/sched_debug", type: "file" },
  { path: "/proc/vmallocinfo", type: "file" },
  { path: "/proc/config.gz", type: "file" },
]

/**
 * Parts of `/proc` that must be read-only. For example, `/proc/sys` sets which program the kernel starts for a crash dump; bubblewrap leaves it
 * writable for root.
 */
export const readOnlyProcPaths: readonly string[] = ["/proc/sys", "/proc/bus", "/proc/fs", "/proc/irq"]

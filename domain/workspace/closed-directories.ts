import { isInside } from "./is-inside.ts"

/** The kernel's file systems, in which nobody can make a directory. */
export const kernelTrees = ["/proc", "/sys"] as const

/**
 * Directory trees that are closed to all sessions and tools: the kernel's view of every process, including the environment of the worker with its
 * keys; the machine's devices; and the sockets of its services. Adjutant's data directory is closed, too.
 */
export const closedSystemTrees = [...kernelTrees, "/dev", "/run", "/var/run"] as const

export const closedToAll = "/proc, /sys, /dev, /run and the data directory are closed to all sessions"

/** Returns whether a path is in one of the closed trees; both must be free of symbolic links. */
export const isClosed = (real: string, closed: readonly string[]): boolean =>
  closed.some((tree) => isInside(tree, real))

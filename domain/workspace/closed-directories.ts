import { isInside } from "./is-inside.ts"

/**
 * Trees that no session works in and no tool looks into, whoever asks: the kernel's view of every process, the environment of the worker with its
 * keys included, the machine's devices, and the sockets of its services. Adjutant's data directory is another one.
 */
export const closedSystemTrees = ["/proc", "/sys", "/dev", "/run", "/var/run"] as const

export const closedToAll = "/proc, /sys, /dev, /run and the data directory are closed to all sessions"

/** Whether a real path lies in one of the closed trees; both without links. */
export const isClosed = (real: string, closed: readonly string[]): boolean =>
  closed.some((tree) => isInside(tree, real))

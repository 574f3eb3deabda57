import { readdirSync, readFileSync, readlinkSync } from "node:fs"

export interface ListeningSocket {
  /** Dotted for IPv4, or as the kernel writes an IPv6 address. */
  readonly host: string
  readonly port: number
}

const listen = "0A"

const findInodes = (pid: number): ReadonlySet<string> =>
  new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${name}`))?.[1] ?? []
      } catch {
        return []
      }
    }),
  )

/** The kernel writes an IPv4 address as a number in the machine's byte order. */
const toDotted = (hex: string): string =>
  hex.length === 8
    ? (hex.match(/../g) ?? [])
        .toReversed()
        .map((byte) => Number.parseInt(byte, 16))
        .join(".")
    : hex

/** Returns every TCP socket that a process listens on, from /proc (Linux only). */
export const findListeningSockets = (pid: number): readonly ListeningSocket[] => {
  const inodes = findInodes(pid)
  return ["tcp", "tcp6"].flatMap((table) =>
    readFileSync(`/proc/net/${table}`, "utf8")
      .trim()
      .split("\n")
      .slice(1)
      .flatMap((line) => {
        const [, local = "", , state, , , , , , inode = ""] = line.trim().split(/\s+/)
        const [address = "", port = ""] = local.split(":")
        return state === listen && inodes.has(inode)
          ? [{ host: toDotted(address), port: Number.parseInt(port, 16) }]
          : []
      }),
  )
}

import { randomInt } from "node:crypto"
import { isPortFree, type PortCheck } from "./choose-ports.ts"

/**
 * Ports to which no browser connects, at any address (Fetch standard, "port blocking"), except those that desktop programs commonly use.
 */
export const blockedPorts: readonly number[] = [
  1719, 3659, 4045, 4190, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10_080,
]

export const randomBlockedPort = (): number => blockedPorts[randomInt(blockedPorts.length)] ?? 10_080

/** Returns a blocked port that is free at the address; undefined if all are taken. */
export const freeBlockedPort = async (host: string, isFree: PortCheck = isPortFree): Promise<number | undefined> => {
  const first = randomInt(blockedPorts.length)
  for (const port of [...blockedPorts.slice(first), ...blockedPorts.slice(0, first)]) {
    if (await isFree(port, host)) return port
  }
  return undefined
}

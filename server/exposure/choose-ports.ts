import { randomInt } from "node:crypto"
import { createServer } from "node:net"

/** Returns the previous port if it is free, so that clients find a restarted server again; otherwise a free port that is not in `taken`. */
export const choosePort = async (
  previous: number | undefined,
  taken: ReadonlySet<number> = new Set(),
): Promise<number> =>
  previous !== undefined && !taken.has(previous) && (await isPortFree(previous)) ? previous : freePort(taken)

// Below the range that systems use for outgoing connections, so that the port is still free at a restart.
const lowestPort = 17_000
const highestPort = 32_000

export const freePort = async (taken: ReadonlySet<number>): Promise<number> => {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const port = randomInt(lowestPort, highestPort)
    if (!taken.has(port) && (await isPortFree(port))) return port
  }
  throw new Error(`no free port between ${lowestPort} and ${highestPort}: end programs that listen there`)
}

/** Returns whether a port is free at an address. */
export type PortCheck = (port: number, host: string) => Promise<boolean>

export const isPortFree = (port: number, host = "127.0.0.1"): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer()
    probe.once("error", () => resolve(false))
    probe.listen({ port, host, exclusive: true }, () => probe.close(() => resolve(true)))
  })

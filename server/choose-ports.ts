import { randomInt } from "node:crypto"
import { createServer } from "node:net"

export interface ServerPorts {
  readonly port: number
  readonly uiPort: number
}

/** The previous ports where both are free, so that bookmarks of the web UI stay good; else two free ones. */
export const choosePorts = async (previous: ServerPorts | undefined): Promise<ServerPorts> => {
  if (previous !== undefined && (await arePortsFree(previous))) return previous
  const port = await freePort(new Set())
  return { port, uiPort: await freePort(new Set([port])) }
}

export const arePortsFree = async ({ port, uiPort }: ServerPorts): Promise<boolean> =>
  (await isPortFree(port)) && (await isPortFree(uiPort))

// Below the range that systems give to outgoing connections, so that a port can be had again after a restart.
const lowestPort = 17_000
const highestPort = 32_000

export const freePort = async (taken: ReadonlySet<number>): Promise<number> => {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const port = randomInt(lowestPort, highestPort)
    if (!taken.has(port) && (await isPortFree(port))) return port
  }
  throw new Error(`no free port between ${lowestPort} and ${highestPort}`)
}

const isPortFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer()
    probe.once("error", () => resolve(false))
    probe.listen({ port, host: "127.0.0.1", exclusive: true }, () => probe.close(() => resolve(true)))
  })

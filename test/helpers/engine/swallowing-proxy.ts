import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

export interface SwallowingProxy extends AsyncDisposable {
  /** host:port. */
  readonly address: string
  /** Keeps everything back in both directions, as a network that vanishes does: no connection is closed. */
  swallow(): void
  /** Passes on what was held back, and everything after it. */
  pass(): void
}

/** Starts a proxy on loopback for the server at `address` (host:port). */
export const startSwallowingProxy = async (address: string): Promise<SwallowingProxy> => {
  const [host, port] = address.split(":")
  const sockets = new Set<Socket>()
  let isSwallowing = false
  const server = createServer((near) => {
    const far = connect(Number(port), host)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on("data", (data) => to.write(data))
      from.on("error", () => from.destroy())
      from.on("close", () => {
        sockets.delete(from)
        to.destroy()
      })
      if (isSwallowing) from.pause()
    }
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    swallow: () => {
      isSwallowing = true
      for (const socket of sockets) socket.pause()
    },
    pass: () => {
      isSwallowing = false
      for (const socket of sockets) socket.resume()
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((closed) => server.close(closed))
    },
  }
}

import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

export interface LosingProxy extends AsyncDisposable {
  /** host:port. */
  readonly address: string
  /** Loses the answer of the call with this number, counted from 1 from now on, and cuts its connection: what was asked takes effect. */
  arm(call: number): void
  /** Returns whether the answer was lost. */
  readonly hasLost: () => boolean
}

/** How long the server may take for what was asked. */
const effectMs = 100

/** Starts a proxy on loopback for the server at `address` (host:port). A call is what a client writes at a time. */
export const startLosingProxy = async (address: string): Promise<LosingProxy> => {
  const [host, port] = address.split(":")
  const sockets = new Set<Socket>()
  let left = 0
  let hasLost = true
  const server = createServer((near) => {
    const far = connect(Number(port), host)
    let isLosing = false
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on("error", () => from.destroy())
      from.on("close", () => {
        sockets.delete(from)
        to.destroy()
      })
    }
    near.on("data", (data) => {
      left -= 1
      if (!hasLost && left === 0) {
        hasLost = true
        isLosing = true
        setTimeout(() => far.destroy(), effectMs)
      }
      far.write(data)
    })
    far.on("data", (data) => {
      if (!isLosing) near.write(data)
    })
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    arm: (call) => {
      left = call
      hasLost = false
    },
    hasLost: () => hasLost,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((closed) => server.close(closed))
    },
  }
}

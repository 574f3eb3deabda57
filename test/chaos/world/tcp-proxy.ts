import { connect, createServer, type AddressInfo, type Socket } from "node:net"

/** A TCP proxy whose target can be exchanged and whose connections can be cut. */
export interface TcpProxy {
  /** host:port */
  readonly address: string
  /** Sends new connections to this port of the loopback interface, and cuts those that are open. */
  redirect(port: number): void
  /** Closes all open connections; new ones are accepted. */
  cut(): void
  /** Leaves all open connections open and passes nothing on, as a host that vanished; new ones work. */
  silence(): void
  /** Passes on what clients send over the open connections, and drops what is answered; new ones work. */
  loseAnswers(): void
  close(): Promise<void>
}

/** Starts a proxy on a free loopback port. */
export const startTcpProxy = async (firstTarget: number): Promise<TcpProxy> => {
  let target = firstTarget
  const sockets = new Set<Socket>()
  const pairs = new Set<readonly [Socket, Socket]>()
  const track = (socket: Socket): Socket => {
    sockets.add(socket)
    return socket.on("error", () => socket.destroy()).on("close", () => sockets.delete(socket))
  }
  const server = createServer((incoming) => {
    const outgoing = track(connect(target, "127.0.0.1"))
    track(incoming).pipe(outgoing).pipe(incoming)
    pairs.add([incoming, outgoing])
    incoming.on("close", () => outgoing.destroy())
    outgoing.on("close", () => incoming.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const cut = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    redirect(port) {
      target = port
      cut()
    },
    cut,
    silence() {
      for (const [incoming, outgoing] of pairs) {
        incoming.unpipe().on("data", () => undefined)
        outgoing.unpipe().on("data", () => undefined)
      }
      pairs.clear()
    },
    loseAnswers() {
      for (const [, outgoing] of pairs) outgoing.unpipe().on("data", () => undefined)
      pairs.clear()
    },
    async close() {
      cut()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

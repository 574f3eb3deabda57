import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

export interface Broadcaster {
  readonly url: string
  send(event: Readonly<Record<string, unknown>>): void
  close(): void
}

/** Starts the baseline in plain Node: one list of open responses, and one frame written to each. */
export const startBroadcaster = async (): Promise<Broadcaster> => {
  const open = new Set<ServerResponse>()
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" })
    response.flushHeaders()
    open.add(response)
    response.on("close", () => open.delete(response))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server that listens on a port has such an address
  const { port } = server.address() as AddressInfo
  let id = 0
  return {
    url: `http://127.0.0.1:${port}/`,
    send: (event) => {
      id += 1
      const frame = Buffer.from(`id: ${id}\nevent: text-delta\ndata: ${JSON.stringify(event)}\n\n`)
      for (const response of open) response.write(frame)
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

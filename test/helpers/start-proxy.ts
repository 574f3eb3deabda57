import { createServer } from "node:http"
import { connect } from "node:net"
import { once } from "node:events"
import type { AddressInfo } from "node:net"

export interface RecordedProxyRequest {
  readonly kind: "tunnel" | "forward"
  /** `host:port` of a tunnel, the whole address of a forwarded request. */
  readonly target: string
  readonly authorization: string | undefined
}

export interface TestProxy extends AsyncDisposable {
  readonly url: string
  readonly port: number
  readonly requests: readonly RecordedProxyRequest[]
}

/**
 * Starts a proxy on loopback that reaches every host as the server at `targetPort`. It opens tunnels unless `tunnelStatus` says with which status it
 * refuses them, and answers forwarded requests itself.
 */
export const startProxy = async ({ targetPort = 0, tunnelStatus = 200 } = {}): Promise<TestProxy> => {
  const requests: RecordedProxyRequest[] = []
  const sockets = new Set<{ destroy(): unknown }>()
  const server = createServer((request, response) => {
    const authorization = request.headers["proxy-authorization"]
    requests.push({ kind: "forward", target: request.url ?? "", authorization })
    response.end("forwarded")
  })
  server.on("connect", (request, socket, head) => {
    const authorization = request.headers["proxy-authorization"]
    requests.push({ kind: "tunnel", target: request.url ?? "", authorization })
    if (tunnelStatus !== 200) return void socket.end(`HTTP/1.1 ${tunnelStatus} Refused\r\n\r\n`)
    const upstream = connect(targetPort, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n")
      upstream.write(head)
      socket.pipe(upstream).pipe(socket)
    })
    for (const end of [socket, upstream]) {
      sockets.add(end)
      end.on("error", () => end.destroy())
    }
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

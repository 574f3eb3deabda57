import { Agent, createServer, type Server } from "node:http"
import type { Duplex } from "node:stream"
import { forwardRequest, sendText } from "./forward-request.ts"
import { refusalOf } from "./refuse-request.ts"
import type { UiAddress } from "./ui-address.ts"

export interface UiServer {
  /** Listens nowhere yet. */
  readonly http: Server
  close(): Promise<void>
}

export interface UiServerOptions {
  /** The UI that requests go to; undefined while there is none. */
  readonly ui: () => UiAddress | undefined
  /** Hosts that requests may name, besides loopback. */
  readonly names?: ReadonlySet<string>
}

const maxConnections = 256

/** A server in front of a Temporal UI, which checks neither host nor login: answers only what the UI's own pages and people's links ask for. */
export const createUiServer = ({ ui, names }: UiServerOptions): UiServer => {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const http = createServer((request, response) => {
    const refusal = refusalOf(request, names)
    const target = ui()
    if (refusal !== undefined) {
      response.shouldKeepAlive = false
      sendText(response, refusal.status, refusal.reason)
    } else if (target === undefined) sendText(response, 502, "no Temporal UI is served here")
    else forwardRequest(request, response, { ui: target, agent })
  })
  http.maxConnections = maxConnections
  http.on("upgrade", refuseSocket)
  http.on("connect", refuseSocket)
  return {
    http,
    close: () =>
      new Promise((resolve) => {
        http.close(() => resolve())
        http.closeAllConnections()
        agent.destroy()
      }),
  }
}

const refuseSocket = (_request: unknown, socket: Duplex): void => {
  socket.on("error", () => undefined)
  socket.end("HTTP/1.1 403 Forbidden\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")
}

/** False where the place is taken, or is none of this machine's. */
export const listensOn = (server: Server, host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const failed = (): void => resolve(false)
    server.once("error", failed)
    server.listen({ port, host, exclusive: true }, () => {
      server.off("error", failed)
      resolve(true)
    })
  })

import { Agent, createServer, type Server } from "node:http"
import type { Duplex } from "node:stream"
import { forwardRequest, sendText } from "./forward-request.ts"
import { requestRefusal } from "./refuse-request.ts"
import type { UiAddress } from "./ui-address.ts"

export interface UiServer {
  /** The server, which does not listen yet. */
  readonly http: Server
  close(): Promise<void>
}

export interface UiServerOptions {
  /** Returns the UI to which requests are forwarded; undefined while there is none. */
  readonly ui: () => UiAddress | undefined
  /** Hosts that requests may name, in addition to loopback. */
  readonly names?: ReadonlySet<string>
}

const maxConnections = 256

/** Creates a server in front of a Temporal UI, which itself checks neither host nor login. It accepts only requests from the UI's own pages and links that people follow. */
export const createUiServer = ({ ui, names }: UiServerOptions): UiServer => {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const http = createServer((request, response) => {
    const refusal = requestRefusal(request, names)
    const target = ui()
    if (refusal !== undefined) {
      response.shouldKeepAlive = false
      sendText(response, refusal.status, refusal.reason)
    } else if (target === undefined) sendText(response, 502, "the Temporal UI is not available")
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

/** Starts listening at an address; returns false if it is in use, or does not belong to this machine. */
export const listensOn = (server: Server, host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const failed = (): void => resolve(false)
    server.once("error", failed)
    server.listen({ port, host, exclusive: true }, () => {
      server.off("error", failed)
      resolve(true)
    })
  })

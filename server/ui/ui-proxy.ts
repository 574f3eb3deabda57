import { Agent, createServer, type Server } from "node:http"
import type { Duplex } from "node:stream"
import { freePort } from "../choose-ports.ts"
import { forwardRequest, sayPlainly } from "./forward-request.ts"
import { refusalOf } from "./refuse-request.ts"
import { uiAddressOf, type UiAddress } from "./ui-address.ts"

/** The Temporal UI as people reach it. */
export interface UiProxy {
  readonly port: number
  /** The Temporal process whose UI is served from now on. */
  serve(process: { readonly pid: number }): void
  /** Where people find the UI; undefined where the process has none. */
  url(): string | undefined
  close(): Promise<void>
}

const maxConnections = 256

/** Listens on 127.0.0.1, at the port wanted where it is free. Answers only what the UI's own pages and people's links ask for. */
export const openUiProxy = async (wantedPort: number | undefined): Promise<UiProxy> => {
  let ui: UiAddress | undefined
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const server = createServer((request, response) => {
    const refusal = refusalOf(request)
    if (refusal !== undefined) {
      response.shouldKeepAlive = false
      sayPlainly(response, refusal.status, refusal.reason)
    } else if (ui === undefined) sayPlainly(response, 502, "no Temporal UI is served here")
    else forwardRequest(request, response, { ui, agent })
  })
  server.maxConnections = maxConnections
  server.on("upgrade", refuseSocket)
  server.on("connect", refuseSocket)
  const port = await listenAt(server, wantedPort)
  return {
    port,
    serve: ({ pid }) => {
      ui = uiAddressOf(pid)
    },
    url: () => (ui === undefined ? undefined : `http://127.0.0.1:${port}`),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
        agent.destroy()
      }),
  }
}

const refuseSocket = (_request: unknown, socket: Duplex): void => {
  socket.on("error", () => undefined)
  socket.end("HTTP/1.1 403 Forbidden\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")
}

const listenAt = async (server: Server, wanted: number | undefined): Promise<number> => {
  if (wanted !== undefined && (await listensOn(server, wanted))) return wanted
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const port = await freePort(new Set())
    if (await listensOn(server, port)) return port
  }
  throw new Error("no port is free for the Temporal UI")
}

const listensOn = (server: Server, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const failed = (): void => resolve(false)
    server.once("error", failed)
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => {
      server.off("error", failed)
      resolve(true)
    })
  })

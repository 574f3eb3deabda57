import type { Server } from "node:http"
import { freePort } from "../exposure/choose-ports.ts"
import { uiAddressOf, type UiAddress } from "./ui-address.ts"
import { createUiServer, listensOn } from "./ui-server.ts"

/** The proxy through which people reach the UI of the embedded server. */
export interface UiProxy {
  readonly port: number
  /** Serves the UI of a Temporal process from now on. */
  serve(process: { readonly pid: number }): void
  /** Returns the URL of the UI; undefined if the process has none. */
  url(): string | undefined
  close(): Promise<void>
}

/** Opens the proxy on 127.0.0.1, at the requested port if it is free. */
export const openUiProxy = async (wantedPort: number | undefined): Promise<UiProxy> => {
  let ui: UiAddress | undefined
  const server = createUiServer({ ui: () => ui })
  const port = await listenAt(server.http, wantedPort)
  return {
    port,
    serve: ({ pid }) => {
      ui = uiAddressOf(pid)
    },
    url: () => (ui === undefined ? undefined : `http://127.0.0.1:${port}`),
    close: () => server.close(),
  }
}

const listenAt = async (server: Server, wanted: number | undefined): Promise<number> => {
  if (wanted !== undefined && (await listensOn(server, "127.0.0.1", wanted))) return wanted
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const port = await freePort(new Set())
    if (await listensOn(server, "127.0.0.1", port)) return port
  }
  throw new Error("no port is free for the Temporal UI: end programs that listen on loopback")
}

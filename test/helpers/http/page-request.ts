import { connect } from "node:net"
import type { ListeningSocket } from "./listening-sockets.ts"

/**
 * A request as a web page can make a browser send it, or as an old proxy sends it. It is written by hand,
 * since no client library would send all of these.
 */
export interface PageRequest {
  readonly method: "GET" | "POST"
  readonly path: string
  /** Omitted: HTTP/1.0 without a `Host`. */
  readonly host?: string
  readonly origin?: string
  readonly contentType?: string
  readonly body?: string
}

const hangGuardMs = 10_000

const createRequestBytes = ({ method, path, host, origin, contentType, body = "" }: PageRequest): string =>
  [
    `${method} ${path} HTTP/${host === undefined ? "1.0" : "1.1"}`,
    ...(host === undefined ? [] : [`Host: ${host}`]),
    ...(origin === undefined ? [] : [`Origin: ${origin}`]),
    ...(contentType === undefined ? [] : [`Content-Type: ${contentType}`]),
    ...(method === "GET" ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]),
    "Connection: close",
    "",
    body,
  ].join("\r\n")

/** Sends the request and returns everything that arrived before the server closed the connection. */
export const sendPageRequest = ({ host, port }: ListeningSocket, request: PageRequest): Promise<string> =>
  new Promise((resolve) => {
    let reply = ""
    const socket = connect(port, host)
    socket.setEncoding("latin1").on("data", (text: string) => (reply += text))
    socket.setTimeout(hangGuardMs, () => socket.destroy())
    // A server that closes a connection early resets it; what it sent before still counts.
    socket.on("error", () => undefined)
    socket.once("close", () => resolve(reply))
    socket.write(createRequestBytes(request))
  })

import {
  type Agent,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as httpRequest,
  type ServerResponse,
} from "node:http"
import { pipeline } from "node:stream"
import type { UiAddress } from "./ui-address.ts"

/** Headers of one connection, not of the message (RFC 9110, 7.6.1). */
const hopByHop = [
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]

/** Headers that are not forwarded. With `authorization` the UI skips its check against forged requests, and no login exists here. */
const notForwarded = new Set([...hopByHop, "expect", "authorization", "authorization-extras"])

/** Headers that are not returned, so that only the UI's own pages may read its answers. */
const notReturned = new Set([
  ...hopByHop,
  "access-control-allow-origin",
  "access-control-allow-credentials",
  "access-control-allow-headers",
  "access-control-allow-methods",
])

const without = (headers: IncomingHttpHeaders, names: ReadonlySet<string>): IncomingHttpHeaders => {
  const named = new Set((headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase()))
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.has(name) && !named.has(name)))
}

const pageHeaders = { "x-frame-options": "SAMEORIGIN", "cross-origin-resource-policy": "same-origin" }

export const sendText = (response: ServerResponse, status: number, text: string): void => {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" })
  response.end(`${text}\n`)
}

/** Forwards a checked request to the UI and returns its answer. The UI's own address appears in neither. */
export const forwardRequest = (
  request: IncomingMessage,
  response: ServerResponse,
  { ui, agent }: { readonly ui: UiAddress; readonly agent: Agent },
): void => {
  const forwarded = httpRequest({
    host: ui.host,
    port: ui.port,
    method: request.method,
    path: request.url,
    // Includes the `host` of the request, so that URLs that the UI creates refer to the proxy.
    headers: without(request.headers, notForwarded),
    setHost: false,
    agent,
  })
  forwarded.once("response", (answer) => {
    response.writeHead(answer.statusCode ?? 502, { ...without(answer.headers, notReturned), ...pageHeaders })
    pipeline(answer, response, () => undefined)
  })
  forwarded.once("error", () => {
    if (!response.headersSent) sendText(response, 502, "the Temporal server does not answer; it may be starting again")
    else response.destroy()
  })
  response.once("close", () => forwarded.destroy())
  pipeline(request, forwarded, () => undefined)
}

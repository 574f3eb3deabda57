import type { IncomingMessage } from "node:http"
import { hostNameOf, isLoopback, isOwnOrigin } from "../../domain/web/loopback-host.ts"

export interface UiRefusal {
  readonly status: 400 | 403 | 405 | 505
  readonly reason: string
}

/** The parts of a request that are checked. */
export type RequestHead = Pick<IncomingMessage, "method" | "url" | "httpVersion" | "headers" | "rawHeaders">

const safeMethods = new Set(["GET", "HEAD"])
const unsafeMethods = new Set(["POST", "PUT", "PATCH", "DELETE"])

/**
 * Returns why a request for the Temporal UI is refused; undefined if it is accepted. `names` are the hosts that it may name, in addition to loopback. A
 * request that changes something must come from a page of the UI itself, which browsers confirm with `Origin`; without `Origin` it is refused.
 */
export const requestRefusal = (head: RequestHead, names: ReadonlySet<string> = new Set()): UiRefusal | undefined => {
  const method = head.method ?? ""
  if (head.httpVersion !== "1.1") return { status: 505, reason: "only HTTP/1.1 is supported" }
  if (!safeMethods.has(method) && !unsafeMethods.has(method))
    return { status: 405, reason: `the method ${method} is not supported` }
  if (head.url?.startsWith("/") !== true)
    return { status: 400, reason: "the request target must be a path of this server" }
  return refusedHost(head, names) ?? refusedPage(head, safeMethods.has(method))
}

/** Refuses other hosts: a page whose name was changed to resolve to this server (DNS rebinding) sends its own host. */
const refusedHost = ({ headers, rawHeaders }: RequestHead, names: ReadonlySet<string>): UiRefusal | undefined => {
  const named = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === "host")
  const name = named.length === 1 && headers.host !== undefined ? hostNameOf(headers.host) : undefined
  return name !== undefined && (isLoopback(name) || names.has(name))
    ? undefined
    : { status: 403, reason: "this server does not answer to that host; use 127.0.0.1 or localhost" }
}

const refusedPage = (head: RequestHead, isSafe: boolean): UiRefusal | undefined => {
  const { origin, host } = head.headers
  if (origin === undefined ? !isSafe : !isOwnOrigin(origin, host))
    return { status: 403, reason: "requests from other pages are refused" }
  const site = head.headers["sec-fetch-site"]
  if (site === undefined || site === "same-origin" || site === "none" || isLinkToPage(head, isSafe)) return undefined
  return { status: 403, reason: "requests from pages of another site are refused" }
}

/** Returns whether a person follows a link on another page to a page of the UI; the other page cannot read the answer. */
const isLinkToPage = ({ headers, url = "" }: RequestHead, isSafe: boolean): boolean =>
  isSafe &&
  headers["sec-fetch-mode"] === "navigate" &&
  headers["sec-fetch-dest"] === "document" &&
  !/^\/+(api|render)([/?#]|$)/i.test(url)

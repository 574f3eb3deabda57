import { isIP } from "node:net"
import type { Config } from "../contracts/config.ts"

/** An IPv6 address comes with or without brackets. */
const bare = (host: string): string =>
  host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "")

export const isLoopback = (host: string): boolean => {
  const name = bare(host)
  return name === "localhost" || name === "::1" || (isIP(name) === 4 && name.startsWith("127."))
}

/** The host of a `Host` header or of an origin; undefined for what is none. */
export const hostNameOf = (header: string): string | undefined => {
  const url = URL.parse(`http://${header}`)
  return url === null || url.pathname !== "/" || url.username !== "" || url.search !== ""
    ? undefined
    : bare(url.hostname)
}

/**
 * Says which `Host` may be named: a page of another name that is made to point here (DNS rebinding) gets no answer. An address is no name that
 * anybody can rebind; it is allowed where the server listens beyond loopback, and there a token is needed.
 */
export const createHostCheck = (http: Pick<Config["http"], "publicUrl" | "allowedHosts">, listenHost: string) => {
  const names = new Set([
    bare(listenHost),
    ...http.allowedHosts.map(bare),
    ...(http.publicUrl === undefined ? [] : [bare(new URL(http.publicUrl).hostname)]),
  ])
  return (hostHeader: string | undefined): boolean => {
    const name = hostHeader === undefined ? undefined : hostNameOf(hostHeader)
    if (name === undefined) return false
    return isLoopback(name) || names.has(name) || (!isLoopback(listenHost) && isIP(name) !== 0)
  }
}

/** A browser names the page that a request comes from: it must be one of this server's own. */
export const isOwnOrigin = (origin: string, hostHeader: string | undefined, publicUrl: string | undefined): boolean => {
  const url = URL.parse(origin)
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) return false
  return url.host === hostHeader?.toLowerCase() || (publicUrl !== undefined && url.origin === new URL(publicUrl).origin)
}

import { isIP } from "node:net"
import type { Dispatcher } from "undici"
import { bareHost } from "../domain/web/loopback-host.ts"
import { type AddressCheck, addressRefused, guardedLookup } from "./guarded-lookup.ts"
import { proxyEnvironment } from "./proxy-environment.ts"
import { proxyCredentials, proxyFor } from "./proxy-for.ts"

export interface OutgoingInit {
  readonly method?: string | undefined
  readonly headers?: ConstructorParameters<typeof Headers>[0]
  /** No stream, because a request through a proxy may be sent a second time. */
  readonly body?: string | Uint8Array | undefined
  readonly redirect?: RequestInit["redirect"] | undefined
  readonly signal?: AbortSignal | null | undefined
  /** Refuses servers by their addresses. Without effect for what goes through a proxy, which resolves names itself: see `usesProxy`. */
  readonly isReachable?: AddressCheck | undefined
}

/** Longest waits for the headers of an answer and between two pieces of its body, in milliseconds. */
export interface OutgoingLimits {
  readonly headersTimeout?: number
  readonly bodyTimeout?: number
}

/** The ways to a server: directly, through a tunnel, or as a request to the proxy itself. */
type Way = "direct" | "tunnel" | "forward"

/** Loads the package when the first request is sent: most commands send none. */
const loadUndici = () => import("undici")

type Undici = Awaited<ReturnType<typeof loadUndici>>

const dispatchers = new Map<string, Dispatcher>()

/** `proxy`: undefined if a request goes to the server itself. */
const createDispatcher = (
  { Agent, ProxyAgent }: Undici,
  way: Way,
  proxy: URL | undefined,
  limits: OutgoingLimits,
): Dispatcher => {
  if (proxy === undefined) return new Agent(limits)
  const credentials = proxyCredentials(proxy)
  const token =
    credentials && `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString("base64")}`
  const { origin: uri } = proxy
  return (
    new ProxyAgent({ ...limits, uri, proxyTunnel: way === "tunnel", ...(token === undefined ? {} : { token }) })
      // The agent does not pass its limits on to the connection to the proxy itself (undici 7.29).
      .compose((dispatch) => (options, handler) => dispatch({ ...options, ...limits }, handler))
  )
}

const dispatcherFor = (undici: Undici, way: Way, proxy: URL | undefined, limits: OutgoingLimits): Dispatcher => {
  const key = JSON.stringify([way, proxy?.href, limits])
  const known = dispatchers.get(key) ?? createDispatcher(undici, way, proxy, limits)
  dispatchers.set(key, known)
  return known
}

const guarded = new WeakMap<AddressCheck, Dispatcher>()

const guardedDispatcher = ({ Agent }: Undici, isReachable: AddressCheck, limits: OutgoingLimits): Dispatcher => {
  const known = guarded.get(isReachable) ?? new Agent({ ...limits, connect: { lookup: guardedLookup(isReachable) } })
  guarded.set(isReachable, known)
  return known
}

/** A host that is an address is not looked up. */
const refuseAddress = ({ hostname }: URL, isReachable: AddressCheck | undefined): void => {
  const host = bareHost(hostname)
  if (isReachable !== undefined && isIP(host) !== 0 && !isReachable(host))
    throw new TypeError("fetch failed", { cause: addressRefused(host) })
}

/** Returns whether a request to an address goes through a proxy. */
export const usesProxy = (address: string | URL): boolean => proxyFor(address, proxyEnvironment()) !== undefined

/** Returns the status with which a proxy refused to open a tunnel, or to take a request without a valid password. */
const refusedWith = (error: unknown): string | undefined => {
  if (!(error instanceof Error)) return undefined
  const found = /^(?:Proxy response|Proxy Authentication Required) \((\d+)\)/.exec(error.message)
  return found?.[1] ?? refusedWith(error.cause)
}

/** Returns the failure of a request that the proxy refused. undici reports this as an abort or a wrong argument, which it is not. */
const refusal = (proxy: URL, status: string, error: unknown): TypeError => {
  const cause = new Error(`the proxy ${proxy.origin} refused the connection with status ${status}`, { cause: error })
  Object.assign(cause, { code: `PROXY_ANSWERED_${status}` })
  return new TypeError("fetch failed", { cause })
}

/**
 * Sends a request to another machine, through the proxy that its environment (`withProxiesOf`) names for its address. Fails as `fetch` does.
 * This is the only way out for HTTP: nothing else calls `fetch` or an agent.
 */
export const outgoing = async (
  address: string | URL,
  init: OutgoingInit = {},
  limits: OutgoingLimits = {},
): Promise<Response> => {
  const url = new URL(address)
  const { headers = {}, isReachable, ...rest } = init
  refuseAddress(url, isReachable)
  const proxy = proxyFor(url, proxyEnvironment())
  const undici = await loadUndici()
  const send = (way: Way): Promise<Response> =>
    undici.fetch(url, {
      ...rest,
      headers: [...new Headers(headers)],
      dispatcher:
        way === "direct" && isReachable !== undefined
          ? guardedDispatcher(undici, isReachable, limits)
          : dispatcherFor(undici, way, proxy, limits),
    })
  if (proxy === undefined) return send("direct")
  const sendThroughProxy = (way: Way): Promise<Response> =>
    send(way).catch((error: unknown) => {
      const status = refusedWith(error)
      throw status === undefined ? error : refusal(proxy, status, error)
    })
  // Proxies usually open tunnels to port 443 only. They take a request to a server without TLS as it is, with a valid password.
  if (url.protocol === "https:") return sendThroughProxy("tunnel")
  return send("tunnel").catch((error: unknown) => {
    const status = refusedWith(error)
    if (status === undefined) throw error
    if (status === "407") throw refusal(proxy, status, error)
    return sendThroughProxy("forward")
  })
}

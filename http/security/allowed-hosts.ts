import { isIP } from "node:net"
import type { Config } from "../../contracts/config/config.ts"
import { bareHost, hostNameOf, isLoopback } from "../../domain/web/loopback-host.ts"

/**
 * Says which `Host` may be named: a page of another name that is made to point here (DNS rebinding) gets no answer. An address is no name that
 * anybody can rebind; it is allowed where the server listens beyond loopback, and there a token is needed.
 */
export const createHostCheck = (http: Pick<Config["http"], "publicUrl" | "allowedHosts">, listenHost: string) => {
  const names = new Set([
    bareHost(listenHost),
    ...http.allowedHosts.map(bareHost),
    ...(http.publicUrl === undefined ? [] : [bareHost(new URL(http.publicUrl).hostname)]),
  ])
  return (hostHeader: string | undefined): boolean => {
    const name = hostHeader === undefined ? undefined : hostNameOf(hostHeader)
    if (name === undefined) return false
    return isLoopback(name) || names.has(name) || (!isLoopback(listenHost) && isIP(name) !== 0)
  }
}

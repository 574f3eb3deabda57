import { isIP } from "node:net"
import type { Config } from "../../contracts/config/config.ts"
import { bareHost, hostNameOf, isLoopback } from "../../domain/web/loopback-host.ts"

/**
 * Creates a check of the `Host` header. It rejects requests of pages whose name was rebound to this server (DNS rebinding). An IP address cannot be
 * rebound; it is allowed if the server listens beyond loopback, where a token is required.
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

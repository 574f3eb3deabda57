import type { NativeConnectionOptions } from "@temporalio/worker"
import { proxyCredentials, proxyFor } from "../../network/proxy-for.ts"

/** Returns the proxy through which Temporal at an address (`host:port`) is reached; undefined if it is reached directly. */
export const temporalProxy = (address: string): NativeConnectionOptions["proxy"] => {
  const proxy = proxyFor(address.includes("://") ? address : `https://${address}`, process.env)
  if (proxy === undefined) return undefined
  const basicAuth = proxyCredentials(proxy)
  const targetHost = `${proxy.hostname}:${proxy.port === "" ? "80" : proxy.port}`
  return { type: "http-connect", targetHost, ...(basicAuth === undefined ? {} : { basicAuth }) }
}

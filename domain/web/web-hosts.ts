import { bareHost } from "./loopback-host.ts"

/** The ports of addresses without one, by protocol. */
export const defaultPorts: Readonly<Record<string, string>> = { "http:": "80", "https:": "443" }

/** Returns the host of an address of the web, with its port if that is not the usual one; undefined if it is none. */
export const webHostOf = (address: string): string | undefined => {
  const url = URL.parse(address)
  return url !== null && Object.hasOwn(defaultPorts, url.protocol) && url.hostname !== "" ? url.host : undefined
}

const pattern = /^(?:\*\.)?[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?(?::\d{1,5})?$|^\[[0-9a-f:.]+\](?::\d{1,5})?$/i

/** Returns whether a text names a host, or all hosts below one: `example.org`, `*.example.org`, `[2001:db8::1]:8080`. */
export const isHostPattern = (text: string): boolean => pattern.test(text)

const covers = (allowed: string, { protocol, hostname, port }: URL): boolean => {
  const [, name = "", wantedPort] = /^(.*?)(?::(\d+))?$/.exec(allowed) ?? []
  if (wantedPort !== undefined && wantedPort !== (port === "" ? defaultPorts[protocol] : port)) return false
  const host = bareHost(hostname)
  const wanted = bareHost(name)
  return wanted.startsWith("*.") ? host.endsWith(wanted.slice(1)) : host === wanted
}

/** Returns whether one of these hosts is that of an address. A host without a port covers all of its ports. */
export const coversAddress = (hosts: readonly string[], address: string): boolean => {
  const url = URL.parse(address)
  return url !== null && hosts.some((host) => isHostPattern(host) && covers(host.toLowerCase(), url))
}

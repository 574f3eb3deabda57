import { BlockList, isIP } from "node:net"
import { AdjutantError } from "../contracts/adjutant-error.ts"
import type { Environment } from "../domain/environment.ts"
import { bareHost, isLoopback } from "../domain/web/loopback-host.ts"
import { defaultPorts } from "../domain/web/web-hosts.ts"

const setVariable = (env: Environment, name: string): { readonly name: string; readonly value: string } | undefined => {
  for (const spelling of [name.toLowerCase(), name]) {
    const value = env[spelling]?.trim() ?? ""
    if (value !== "") return { name: spelling, value }
  }
  return undefined
}

const isInSubnet = (host: string, entry: string): boolean => {
  const [network = "", bits = ""] = entry.split("/")
  const families = { 4: "ipv4", 6: "ipv6" } as const
  const family = isIP(network)
  if ((family !== 4 && family !== 6) || isIP(host) !== family || !/^\d{1,3}$/.test(bits)) return false
  if (Number(bits) > (family === 4 ? 32 : 128)) return false
  const list = new BlockList()
  list.addSubnet(network, Number(bits), families[family])
  return list.check(host, families[family])
}

/** Returns whether an entry of `NO_PROXY` covers a host: `*`, a host with all hosts below it, `host:port`, or a subnet. */
const covers = (entry: string, host: string, port: string): boolean => {
  if (entry === "*") return true
  if (entry.includes("/")) return isInSubnet(host, entry)
  const [, name = "", entryPort] = /^(.*?)(?::(\d+))?$/.exec(isIP(entry) === 6 ? `[${entry}]` : entry) ?? []
  if (entryPort !== undefined && entryPort !== port) return false
  const domain = bareHost(name.replace(/^\*?\./, ""))
  return domain !== "" && (host === domain || host.endsWith(`.${domain}`))
}

const parseProxy = (name: string, value: string): URL => {
  const url = URL.parse(value.includes("://") ? value : `http://${value}`)
  if (url !== null && (url.protocol === "http:" || url.protocol === "https:")) return url
  // The value may contain a password.
  throw new AdjutantError("invalid_config", `${name}: must be the address of an http or https proxy`)
}

/**
 * Returns the proxy through which an address is reached, by `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` in either case, of which the lower one takes
 * precedence. Loopback addresses are never reached through one. @throws AdjutantError `invalid_config` if a variable has no usable address
 */
export const proxyFor = (address: string | URL, env: Environment): URL | undefined => {
  const url = new URL(address)
  const host = bareHost(url.hostname)
  if (isLoopback(host)) return undefined
  const plain = setVariable(env, "HTTP_PROXY")
  const found = url.protocol === "https:" ? (setVariable(env, "HTTPS_PROXY") ?? plain) : plain
  if (found === undefined) return undefined
  const port = url.port === "" ? (defaultPorts[url.protocol] ?? "") : url.port
  const excluded = (setVariable(env, "NO_PROXY")?.value ?? "").split(/[\s,]+/).filter((entry) => entry !== "")
  return excluded.some((entry) => covers(entry.toLowerCase(), host, port))
    ? undefined
    : parseProxy(found.name, found.value)
}

/** Returns the credentials of a proxy; undefined if its address has none. */
export const proxyCredentials = ({ username, password }: URL): { username: string; password: string } | undefined =>
  username === "" ? undefined : { username: decodeURIComponent(username), password: decodeURIComponent(password) }

/** The variables that choose a proxy, in the order in which they are read. */
const proxyVariables = ["https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY"] as const

/** Returns the proxies that are set, each with its variable and without its credentials. @throws AdjutantError `invalid_config` */
export const configuredProxies = (env: Environment): readonly { readonly name: string; readonly origin: string }[] =>
  proxyVariables.flatMap((name) => {
    const value = env[name]?.trim() ?? ""
    return value === "" ? [] : [{ name, origin: parseProxy(name, value).origin }]
  })

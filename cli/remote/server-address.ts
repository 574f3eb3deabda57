import { adoptSecretFiles } from "../../config/secrets/secret-files.ts"
import { isLoopback } from "../../domain/web/loopback-host.ts"
import type { GlobalOptions } from "../program/global-options.ts"
import { wrongUsage } from "../program/wrong-usage.ts"

export interface ServerAddress {
  /** Without a trailing slash. */
  readonly url: string
  readonly token: string
  /** Whether others on the way can read the token. */
  readonly isExposed: boolean
}

const localOptions = [
  ["config", "--config"],
  ["dataDir", "--data-dir"],
  ["trust", "--trust"],
] as const

const parseUrl = (text: string): URL => {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:"))
    throw wrongUsage("--server is not an address of the form http://host:port or https://host")
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw wrongUsage("--server must contain only the address: pass the token in ADJUTANT_API_TOKEN")
  return url
}

/** Returns the server of `--server`, and the token for it. Throws `invalid_argument` for options that apply to this machine only. */
export const serverAddress = (
  options: GlobalOptions & { readonly server: string },
  env: Readonly<Record<string, string | undefined>>,
): ServerAddress => {
  const local = localOptions.find(([name]) => options[name] !== undefined)
  if (local !== undefined) throw wrongUsage(`${local[1]} has no effect on a server: omit it, or omit --server`)
  const url = parseUrl(options.server)
  const secrets = { ...env }
  adoptSecretFiles(secrets, new Set(["ADJUTANT_API_TOKEN"]))
  const token = secrets["ADJUTANT_API_TOKEN"]?.trim() ?? ""
  if (token === "") throw wrongUsage("--server requires a token of the server: set ADJUTANT_API_TOKEN")
  if (!/^[!-~]+$/.test(token)) throw wrongUsage("ADJUTANT_API_TOKEN contains characters that no token has")
  return {
    url: `${url.origin}${url.pathname.replace(/\/+$/, "")}`,
    token,
    isExposed: url.protocol === "http:" && !isLoopback(url.hostname),
  }
}

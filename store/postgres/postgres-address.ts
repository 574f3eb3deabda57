import { readFileSync } from "node:fs"
import { userInfo } from "node:os"
import type { ConnectionOptions } from "node:tls"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { postgresTls } from "./postgres-tls.ts"

export interface PostgresAddress {
  /** A host name, an IP address, or the folder of a Unix socket. */
  readonly host: string
  readonly port: number
  readonly database: string
  readonly user: string
  /** Absent if the server requires none. */
  readonly password?: string
  readonly tls: ConnectionOptions | false
  /** Options of the server, as for `psql`: `-c search_path=adjutant`. */
  readonly options?: string
  readonly applicationName: string
  readonly connectTimeoutMs: number
  /** How messages refer to the store: host, port and database, and no secret. */
  readonly place: string
}

const known = [
  "host",
  "port",
  "user",
  "dbname",
  "options",
  "application_name",
  "connect_timeout",
  "sslmode",
  "sslrootcert",
  "sslcert",
  "sslkey",
] as const

const wrong = (message: string): AdjutantError => new AdjutantError("invalid_config", `store.url: ${message}`)

/**
 * Parses `postgres://user@host:5432/database?sslmode=verify-full`; `PGPASSWORD` and `PGUSER` apply if it names no password or user. Throws
 * `invalid_config`, without the password.
 */
export const parsePostgresUrl = (text: string, env: NodeJS.ProcessEnv = process.env): PostgresAddress => {
  if (!URL.canParse(text)) throw wrong("is not a PostgreSQL address such as postgres://user@host:5432/database")
  const url = new URL(text)
  const parameters = readParameters(url.searchParams)
  const user = decoded(url.username) || parameters.get("user") || env["PGUSER"] || systemUser()
  const host = parameters.get("host") || decoded(url.hostname).replace(/^\[(.*)\]$/, "$1") || "localhost"
  const port = Number(parameters.get("port") ?? (url.port || "5432"))
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw wrong("the port must be between 1 and 65535")
  const database = decoded(url.pathname.slice(1)) || parameters.get("dbname") || user
  const timeoutS = Number(parameters.get("connect_timeout") ?? "10")
  if (!(timeoutS > 0)) throw wrong("connect_timeout must be a number of seconds above 0")
  return {
    host,
    port,
    database,
    user,
    ...passwordOf(url, env),
    tls: postgresTls({ parameter: (name) => parameters.get(name), readFile }),
    ...(parameters.has("options") ? { options: parameters.get("options") } : {}),
    applicationName: parameters.get("application_name") ?? "adjutant",
    connectTimeoutMs: timeoutS * 1000,
    place: `postgres://${host.includes(":") ? `[${host}]` : host}:${port}/${database}`,
  }
}

const passwordOf = (url: URL, env: NodeJS.ProcessEnv): { readonly password?: string } => {
  const password = decoded(url.password) || env["PGPASSWORD"] || ""
  return password === "" ? {} : { password }
}

const readParameters = (query: URLSearchParams): ReadonlyMap<string, string> => {
  for (const name of query.keys()) {
    if (name === "password") throw wrong("the parameter password is not supported; set PGPASSWORD")
    if (!known.some((parameter) => parameter === name))
      throw wrong(`the parameter ${name.slice(0, 40)} is not supported; use one of ${known.join(", ")}`)
  }
  return new Map(query)
}

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    throw wrong("a % in user, password, host or database must be written as %25")
  }
}

const readFile = (name: string, path: string): string => {
  try {
    return readFileSync(path, "utf8")
  } catch (cause) {
    throw new AdjutantError("invalid_config", `store.url: the file ${path} of ${name} cannot be read`, {
      cause,
    })
  }
}

const systemUser = (): string => {
  try {
    return userInfo().username
  } catch {
    throw wrong("the user is missing; name one as in postgres://user@host:5432/database")
  }
}

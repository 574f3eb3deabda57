import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { isOfSystem, systemCode } from "../../domain/text/error-message.ts"

/** The cause: the configuration, the server, or a passing condition after which the work may be retried at once. */
type PostgresFault = "settings" | "server" | "passing"

interface Problem {
  readonly fault: PostgresFault
  readonly message: (place: string) => string
}

const problem = (fault: PostgresFault, message: Problem["message"]): Problem => ({ fault, message })

const unreachable = problem(
  "passing",
  (place) =>
    `the session store ${place} cannot be reached: check that the server is running, and the host and port in store.url`,
)
const lost = problem(
  "passing",
  (place) =>
    `the connection to the session store ${place} was lost: try again, and check the server if it happens often`,
)
const badPassword = problem(
  "settings",
  (place) => `the session store ${place} refused the user or password: check the user in store.url, and PGPASSWORD`,
)
const noTrust = problem(
  "settings",
  (place) =>
    `the certificate of the session store ${place} is not trusted: set sslrootcert to its certificate authority, or check the host in store.url`,
)
const noTls = problem(
  "settings",
  (place) =>
    `the session store ${place} does not support TLS: enable it on the server, or use sslmode=disable in a private network`,
)

/** SQLSTATE codes (and classes of two characters) that are not caused by a bug. */
const bySqlState: Readonly<Record<string, Problem>> = {
  "28P01": badPassword,
  "28000": badPassword,
  "3D000": problem(
    "settings",
    (place) => `the session store ${place} does not exist: create the database, or check the name in store.url`,
  ),
  "3F000": problem(
    "settings",
    (place) => `the session store ${place} has no schema to use: create the one that search_path names`,
  ),
  "42501": problem(
    "settings",
    (place) =>
      `the user of the session store ${place} lacks a permission: make it the owner of the database, or let a process of the owner open the store first`,
  ),
  // After a failover, this server takes no writes any more. A new connection may lead to the one that does.
  "25006": problem(
    "passing",
    (place) => `the session store ${place} is read-only: name the primary server in store.url`,
  ),
  "53100": problem(
    "server",
    (place) => `the disk is full: free some space for the session store ${place} and try again`,
  ),
  "53300": problem(
    "passing",
    (place) => `the session store ${place} has no free connection: raise max_connections or run fewer processes`,
  ),
  "53": problem(
    "server",
    (place) => `the server of the session store ${place} is out of resources: give it more, or run fewer processes`,
  ),
  "55P03": problem(
    "server",
    (place) => `another process has locked a session of the store ${place}: wait for it or end it, then try again`,
  ),
  "40001": problem(
    "passing",
    (place) => `too many processes write to the same session of the store ${place} at once: try again`,
  ),
  "40P01": problem(
    "passing",
    (place) => `too many processes write to the same session of the store ${place} at once: try again`,
  ),
  // The server ended a transaction that stood still for too long, for example because its process was suspended.
  "25P02": lost,
  "25P03": lost,
  "25P04": lost,
  "57014": problem("server", (place) => `the session store ${place} took too long to answer: check the server's load`),
  "57": lost,
  "58": problem(
    "server",
    (place) => `reading or writing the session store ${place} failed: check the server's disk and log`,
  ),
  "08": lost,
  XX: problem(
    "server",
    (place) =>
      `the session store ${place} is damaged: check the server's log, and restore it from a backup if necessary`,
  ),
}

const bySystemCode: Readonly<Record<string, Problem>> = Object.fromEntries([
  ...["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH", "ENOENT"].map((code) => [
    code,
    unreachable,
  ]),
  ...["ECONNRESET", "EPIPE"].map((code) => [code, lost]),
])

const byText: readonly (readonly [pattern: RegExp, problem: Problem])[] = [
  [
    /client password must be/,
    problem("settings", (place) => `the session store ${place} requires a password: set PGPASSWORD`),
  ],
  [/does not support SSL|establishing an SSL connection/, noTls],
  [/timeout expired|due to connection timeout/, unreachable],
  [
    /timeout exceeded when trying to connect/,
    problem(
      "server",
      (place) =>
        `no connection to the session store ${place} became free in time: the server is overloaded or does not answer; try again`,
    ),
  ],
  [/Connection terminated|not queryable|connection error|Query read timeout/, lost],
]

/** Classes of errors of a statement itself: bad data, a broken constraint, a name that does not exist. Trying again would not help. */
const ownFaults: ReadonlySet<string> = new Set(["0A", "21", "22", "23", "42"])

/**
 * Returns the problem of a code that is not listed. It counts as a failure of the server and not as a bug: no list names all reasons of servers and proxies.
 */
const unnamed = (code: string): Problem | undefined => {
  if (isOfSystem(code)) return lost
  if (!sqlState.test(code) || ownFaults.has(code.slice(0, 2))) return undefined
  return problem(
    "server",
    (place) => `the session store ${place} failed with ${code}: try again, and check the server's log`,
  )
}

const certificateCode = /^(CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/
const sqlState = /^[0-9A-Z]{5}$/

const knownProblem = (error: unknown): Problem | undefined => {
  if (!(error instanceof Error)) return undefined
  const code = systemCode(error) ?? ""
  if (certificateCode.test(code)) return noTrust
  const known =
    bySystemCode[code] ?? bySqlState[code] ?? (sqlState.test(code) ? bySqlState[code.slice(0, 2)] : undefined)
  return known ?? byText.find(([pattern]) => pattern.test(error.message))?.[1] ?? unnamed(code)
}

export const isPassing = (error: unknown): boolean => knownProblem(error)?.fault === "passing"

/** Returns whether the connection leads to a server that does not accept writes. */
export const isReadOnly = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "25006"

/** Returns whether the server rolled back the transaction because it conflicted with another one. */
export const isConflict = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "40001" || error.code === "40P01")

/** Returns whether the server rolled back the transaction because it waited for a lock for too long. */
export const isLockTimeout = (error: unknown): boolean =>
  error instanceof Error && "code" in error && error.code === "55P03"

/** Translates errors of the server, the network or the settings to `AdjutantError`; returns any other error unchanged. */
export const translatePostgresError = (
  error: unknown,
  place: string,
  settings: "invalid_config" | "storage_failed" = "storage_failed",
): unknown => {
  const found = knownProblem(error)
  if (found === undefined) return error
  return new AdjutantError(found.fault === "settings" ? settings : "storage_failed", found.message(place), {
    cause: error,
  })
}

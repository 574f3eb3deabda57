import { AdjutantError } from "../../contracts/adjutant-error.ts"

/** Who can put it right: the one who wrote the configuration, or the one who runs the server; what passes may be tried again at once. */
type PostgresFault = "settings" | "server" | "passing"

interface Problem {
  readonly fault: PostgresFault
  readonly message: (place: string) => string
}

const problem = (fault: PostgresFault, message: Problem["message"]): Problem => ({ fault, message })

const unreachable = problem(
  "passing",
  (place) =>
    `The session store ${place} cannot be reached: check that the server runs, and host and port of store.url.`,
)
const lost = problem(
  "passing",
  (place) =>
    `The connection to the session store ${place} was lost: try again, and check the server if it happens often.`,
)
const badPassword = problem(
  "settings",
  (place) => `The session store ${place} refused user or password: check the user in store.url and PGPASSWORD.`,
)
const noTrust = problem(
  "settings",
  (place) =>
    `The certificate of the session store ${place} is not trusted: name its authority with sslrootcert, or check the host of store.url.`,
)
const noTls = problem(
  "settings",
  (place) =>
    `The session store ${place} offers no TLS: set it up on the server, or use sslmode=disable in a network that nobody else can read.`,
)

/** SQLSTATE codes (and classes of two characters) that are the world's fault, not the program's. */
const bySqlState: Readonly<Record<string, Problem>> = {
  "28P01": badPassword,
  "28000": badPassword,
  "3D000": problem(
    "settings",
    (place) => `The session store ${place} does not exist: create the database, or check the name in store.url.`,
  ),
  "3F000": problem(
    "settings",
    (place) => `The session store ${place} has no schema to work in: create the one that search_path names.`,
  ),
  "42501": problem(
    "settings",
    (place) => `The user of the session store ${place} lacks a right: make it the owner of the database.`,
  ),
  "25006": problem(
    "settings",
    (place) => `The session store ${place} is read-only: name the primary server in store.url.`,
  ),
  "53100": problem(
    "server",
    (place) => `The disk of the session store ${place} is full: free some space and try again.`,
  ),
  "53300": problem(
    "passing",
    (place) => `The session store ${place} has no free connection: raise max_connections or run fewer processes.`,
  ),
  "53": problem(
    "server",
    (place) => `The server of the session store ${place} is out of resources: give it more, or run fewer processes.`,
  ),
  "55P03": problem(
    "server",
    (place) => `Another process keeps a session of the store ${place} locked: end it (or wait for it) and try again.`,
  ),
  "40001": problem(
    "passing",
    (place) => `Too many processes write to the same session of the store ${place} at once: try again.`,
  ),
  "40P01": problem(
    "passing",
    (place) => `Too many processes write to the same session of the store ${place} at once: try again.`,
  ),
  "57014": problem("server", (place) => `The session store ${place} took too long to answer: check the server's load.`),
  "57": lost,
  "58": problem(
    "server",
    (place) => `Reading or writing the session store ${place} failed: check the server's disk and log.`,
  ),
  "08": lost,
  XX: problem(
    "server",
    (place) =>
      `The session store ${place} is damaged: check the server's log, and restore it from a backup if need be.`,
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
    problem("settings", (place) => `The session store ${place} wants a password: set PGPASSWORD.`),
  ],
  [/does not support SSL|establishing an SSL connection/, noTls],
  [/timeout expired|due to connection timeout/, unreachable],
  [
    /timeout exceeded when trying to connect/,
    problem("server", (place) => `All connections to the session store ${place} are in use: try again.`),
  ],
  [/Connection terminated|not queryable|connection error/, lost],
]

const certificateCode = /^(CERT_|ERR_TLS_|ERR_SSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/
const sqlState = /^[0-9A-Z]{5}$/

const problemOf = (error: unknown): Problem | undefined => {
  if (!(error instanceof Error)) return undefined
  const code = "code" in error && typeof error.code === "string" ? error.code : ""
  if (certificateCode.test(code)) return noTrust
  const known =
    bySystemCode[code] ?? bySqlState[code] ?? (sqlState.test(code) ? bySqlState[code.slice(0, 2)] : undefined)
  return known ?? byText.find(([pattern]) => pattern.test(error.message))?.[1]
}

export const isPassing = (error: unknown): boolean => problemOf(error)?.fault === "passing"

/** The server took the whole transaction back because it conflicted with another one. */
export const isConflict = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "40001" || error.code === "40P01")

/** What server, network or settings caused becomes an `AdjutantError`; everything else stays as it is. */
export const translatePostgresError = (
  error: unknown,
  place: string,
  settings: "invalid_config" | "storage_failed" = "storage_failed",
): unknown => {
  const found = problemOf(error)
  if (found === undefined) return error
  return new AdjutantError(found.fault === "settings" ? settings : "storage_failed", found.message(place), {
    cause: error,
  })
}

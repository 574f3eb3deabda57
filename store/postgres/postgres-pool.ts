import pg from "pg"
import type { PostgresPool, PostgresPoolClient } from "kysely"
import { isLong, longStatementMs } from "../database/time-limit.ts"
import type { PostgresAddress } from "./postgres-address.ts"
import { isReadOnly } from "./postgres-error.ts"

/**
 * Returns the settings of a connection, for the pool and for the listener. `answerLimitMs`: how long a statement waits for the server's answer. A host that
 * vanished without a word resets no connection: the system would notice it after a quarter of an hour.
 */
export const clientConfig = (address: PostgresAddress, answerLimitMs: number): pg.ClientConfig => ({
  host: address.host,
  port: address.port,
  database: address.database,
  user: address.user,
  // A function, so that errors and logs that print this object do not contain the password.
  password: () => address.password ?? "",
  ssl: address.tls,
  application_name: address.applicationName,
  connectionTimeoutMillis: address.connectTimeoutMs,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  query_timeout: answerLimitMs,
  types: { getTypeParser },
  ...(address.options === undefined ? {} : { options: address.options }),
})

const int8 = 20
const numeric = 1700

/** Parses times, counters and sums as numbers: they are integers that JavaScript represents exactly. */
function getTypeParser(oid: number, format?: "text" | "binary"): (value: string) => unknown {
  if (oid === int8 || oid === numeric) return toSafeInteger
  return pg.types.getTypeParser(oid, format === "binary" ? "text" : format)
}

const toSafeInteger = (text: string): number => {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError("a number in the store is too large")
  return value
}

/** Closes its socket on client-side failures, too, such as a missing password; otherwise the server would wait for a minute. */
export class ClosingClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config)
    this.connection.on("error", () => this.abandon())
  }

  /** Breaks the connection without a word to the server, which may no longer be there. */
  abandon(): void {
    this.connection.stream.destroy()
  }
}

/** Breaks the connection if a statement got no answer in time: the next statements would wait behind it. */
export const abandonIfSilent = (client: unknown, error: unknown): void => {
  if (client instanceof ClosingClient && error instanceof Error && error.message === "Query read timeout")
    client.abandon()
}

/** Notes when a read-only connection was found. All older connections may lead to the same server, so none of them is used again. */
const createFreshness = () => {
  const connectedAt = new WeakMap<object, number>()
  let staleUntil = -Infinity
  return {
    connected: (client: object): void => void connectedAt.set(client, performance.now()),
    foundReadOnly: (): void => void (staleUntil = performance.now()),
    isStale: (client: object): boolean => (connectedAt.get(client) ?? 0) <= staleUntil,
  }
}
type Freshness = ReturnType<typeof createFreshness>

/** Takes a connection from the pool, without those that became read-only. */
const connectFresh = async (pool: pg.Pool, fresh: Freshness): Promise<pg.PoolClient> => {
  for (;;) {
    const client = await pool.connect()
    if (!fresh.isStale(client)) return client
    client.release(true)
  }
}

export interface PoolOptions {
  /** How long a statement waits for another process's write. */
  readonly lockTimeoutMs: number
  readonly answerLimitMs: number
}

const maxConnections = 10

/**
 * The server ends a transaction that stands still for so long: a host that vanished must not keep a session locked. No transaction computes long between two
 * statements.
 */
const abandonedAfterMs = 30_000
/** The limit of the server is shorter than that of the client, so a server that runs ends a statement before the client gives it up. */
const ownLimitShare = 0.75

export const openPool = (address: PostgresAddress, { lockTimeoutMs, answerLimitMs }: PoolOptions): PostgresPool => {
  const slowestStatementMs = Math.round(answerLimitMs * ownLimitShare)
  const pool = new pg.Pool({
    ...clientConfig(address, answerLimitMs),
    Client: ClosingClient,
    max: maxConnections,
    // oxlint-disable-next-line typescript/no-misused-promises -- the pool awaits it; its types do not know that
    onConnect: async (client) => {
      await client.query(
        `set lock_timeout = ${Math.max(1, Math.round(lockTimeoutMs))}; ` +
          `set idle_in_transaction_session_timeout = ${abandonedAfterMs}; set statement_timeout = ${slowestStatementMs}`,
      )
    },
  })
  // A broken connection fails the query that uses it. Without a listener it would also end the process.
  pool.on("error", () => undefined)
  const fresh = createFreshness()
  pool.on("connect", (client) => {
    fresh.connected(client)
    client.on("error", () => undefined)
  })
  return {
    options: pool.options,
    end: () => pool.end(),
    connect: async () => withStorableParameters(await connectFresh(pool, fresh), fresh),
  }
}

const withStorableParameters = (client: pg.PoolClient, fresh: Freshness): PostgresPoolClient => ({
  release: (destroy) => client.release(destroy === true || fresh.isStale(client)),
  // Cursors, which are also possible here, are not used.
  query: (statement: unknown, parameters?: readonly unknown[]): never =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the one signature must pass for the interface's overloads
    ask(client, { text: String(statement), values: (parameters ?? []).map(storable) }, fresh) as never,
})

const ask = async (client: pg.PoolClient, statement: pg.QueryConfig, fresh: Freshness): Promise<pg.QueryResult> => {
  // The types of the client do not know its `query_timeout`.
  const limited = isLong() ? { ...statement, query_timeout: longStatementMs } : statement
  try {
    return await client.query<pg.QueryResultRow>(limited)
  } catch (error) {
    abandonIfSilent(client, error)
    if (isReadOnly(error)) fresh.foundReadOnly()
    throw error
  }
}

/** Replaces NUL, which a text column cannot contain. Data that must preserve it is stored as JSON. */
const storable = (value: unknown): unknown => (typeof value === "string" ? value.replaceAll("\u0000", "\ufffd") : value)

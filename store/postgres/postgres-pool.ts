import pg from "pg"
import type { PostgresPool, PostgresPoolClient } from "kysely"
import type { PostgresAddress } from "./postgres-address.ts"

/** What a connection needs; the same for the pool and for the one that listens. */
export const clientConfig = (address: PostgresAddress): pg.ClientConfig => ({
  host: address.host,
  port: address.port,
  database: address.database,
  user: address.user,
  // A function: the value then stands in no object that an error or a log shows.
  password: () => address.password ?? "",
  ssl: address.tls,
  application_name: address.applicationName,
  connectionTimeoutMillis: address.connectTimeoutMs,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  types: { getTypeParser },
  ...(address.options === undefined ? {} : { options: address.options }),
})

const int8 = 20
const numeric = 1700

/** Times, counters and sums are whole numbers that JavaScript holds exactly. */
function getTypeParser(oid: number, format?: "text" | "binary"): (value: string) => unknown {
  if (oid === int8 || oid === numeric) return toSafeInteger
  return pg.types.getTypeParser(oid, format === "binary" ? "text" : format)
}

const toSafeInteger = (text: string): number => {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError("a number of the store is too large")
  return value
}

/** Closes its socket when something fails on this side too, as a missing password does: the server would wait for a minute. */
export class ClosingClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config)
    this.connection.on("error", () => this.connection.stream.destroy())
  }
}

export interface PoolOptions {
  /** How long a write waits for another process's. */
  readonly lockTimeoutMs: number
}

const maxConnections = 10

/** A host that vanished must not keep a session locked; nothing here computes for long between two statements. */
const abandonedAfterMs = 30_000
const slowestStatementMs = 120_000

export const openPool = (address: PostgresAddress, { lockTimeoutMs }: PoolOptions): PostgresPool => {
  const pool = new pg.Pool({
    ...clientConfig(address),
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
  // A connection that breaks fails the query that uses it; without a listener it would end the process as well.
  pool.on("error", () => undefined)
  pool.on("connect", (client) => client.on("error", () => undefined))
  return {
    options: pool.options,
    end: () => pool.end(),
    connect: async () => withStorableParameters(await pool.connect()),
  }
}

const withStorableParameters = (client: pg.PoolClient): PostgresPoolClient => ({
  release: (destroy) => client.release(destroy),
  // Cursors, the other thing that may be given here, are not used.
  query: (statement: unknown, parameters?: readonly unknown[]): never =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the one signature must pass for the interface's overloads
    client.query(String(statement), (parameters ?? []).map(storable)) as never,
})

/** A text column cannot hold NUL. What must keep it is stored as JSON. */
const storable = (value: unknown): unknown => (typeof value === "string" ? value.replaceAll("\u0000", "\ufffd") : value)

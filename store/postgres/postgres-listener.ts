import type pg from "pg"
import { ClosingClient } from "./postgres-pool.ts"

export interface PostgresListenerOptions {
  readonly config: pg.ClientConfig
  readonly channel: string
  /** The wait between two attempts to connect. */
  readonly retryMs: number
  /** Called when another connection has notified the channel, and after each new connection. */
  readonly onNotification: () => void
}

/** Returns the id of the server process that serves a connection at the moment. */
const serverProcess = async (client: pg.Client): Promise<number | undefined> =>
  (await client.query<{ pid: number }>("select pg_backend_pid() as pid")).rows[0]?.pid

/** Returns the id of the server process that the client was told when it connected, which its types do not know. */
const toldProcess = (client: object): unknown => ("processID" in client ? client.processID : undefined)

/**
 * Returns whether a pooler gives the server's connections to a client for one transaction at a time: then a second client, inside a transaction, has the one
 * that served the first. There LISTEN would stay on a connection that others use.
 */
const isSharedByTransactions = async (
  config: pg.ClientConfig,
  client: ClosingClient,
  first: number | undefined,
): Promise<boolean> => {
  const other = new ClosingClient(config)
  other.on("error", () => other.abandon())
  try {
    await other.connect()
    await other.query("begin")
    const isShared = (await serverProcess(other)) === first || (await serverProcess(client)) !== first
    await other.query("rollback")
    return isShared
  } catch {
    // A pooler that has no second connection to give keeps the first one for its client.
    return false
  } finally {
    other.abandon()
  }
}

/** Creates one connection that listens on a channel. It is opened when first needed, and again after it breaks. */
export const createPostgresListener = (options: PostgresListenerOptions) => {
  const { config, channel, retryMs, onNotification } = options
  let client: ClosingClient | undefined
  let connecting: Promise<void> | undefined
  let closed = false
  let triedAt = Number.NEGATIVE_INFINITY
  let pooled = false

  const drop = (broken: ClosingClient): void => {
    if (client === broken) client = undefined
    broken.abandon()
  }

  const connect = async (): Promise<void> => {
    const fresh = new ClosingClient(config)
    fresh.on("error", () => drop(fresh))
    fresh.on("end", () => drop(fresh))
    let ownId: number | undefined
    fresh.on("notification", ({ processId }) => {
      if (processId !== ownId) onNotification()
    })
    try {
      await fresh.connect()
      ownId = await serverProcess(fresh)
      // Without a pooler, the server itself has told the client which process serves it.
      pooled = toldProcess(fresh) !== ownId && (await isSharedByTransactions(config, fresh, ownId))
      if (closed || pooled) return drop(fresh)
      // A notification may be lost in a power cut, since followers also poll.
      await fresh.query(`set synchronous_commit = off`)
      await fresh.query(`listen ${channel}`)
      if (closed) return drop(fresh)
      client = fresh
      // Other processes may have committed while there was no connection.
      onNotification()
    } catch {
      drop(fresh)
    }
  }

  return {
    /** Returns the connection; undefined if there is none. */
    client: () => client,
    /** Connects if there is no connection and the last attempt was long enough ago, unless a pooler shares its connections. Never rejects. */
    ensureConnected: async () => {
      if (client !== undefined || closed || pooled) return
      if (connecting === undefined && performance.now() - triedAt < retryMs) return
      connecting ??= connect().finally(() => {
        triedAt = performance.now()
        connecting = undefined
      })
      await connecting
    },
    /** Closes a broken connection. */
    drop,
    close: async () => {
      closed = true
      await connecting
      client?.abandon()
      client = undefined
    },
  }
}

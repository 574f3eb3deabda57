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

/** Returns the id of the connection's server process. */
const open = async (client: pg.Client): Promise<number | undefined> => {
  await client.connect()
  // A notification may be lost in a power cut, since followers also poll.
  await client.query(`set synchronous_commit = off`)
  const own = await client.query<{ pid: number }>("select pg_backend_pid() as pid")
  return own.rows[0]?.pid
}

/** Creates one connection that listens on a channel. It is opened when first needed, and again after it breaks. */
export const createPostgresListener = (options: PostgresListenerOptions) => {
  const { config, channel, retryMs, onNotification } = options
  let client: ClosingClient | undefined
  let connecting: Promise<void> | undefined
  let closed = false
  let triedAt = Number.NEGATIVE_INFINITY

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
      ownId = await open(fresh)
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
    /** Connects if there is no connection and the last attempt was long enough ago. Never rejects. */
    ensureConnected: async () => {
      if (client !== undefined || closed) return
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

import { createHash } from "node:crypto"
import type pg from "pg"
import { ClosingClient } from "./postgres-pool.ts"

export interface CommitSignal {
  /** Changes when another process has committed, and now and then without reason: what it tells is a hint. */
  version(): number
  /** Tells the other processes of a commit; several at once become one. */
  announce(): void
  /** Sends what is still to be said. */
  close(): Promise<void>
}

export interface CommitSignalOptions {
  readonly config: pg.ClientConfig
  /** Stores in schemas of one database do not hear each other. */
  readonly schema: string
  /** How often followers look by themselves while nothing is heard, since a process that dies may not have said all. */
  readonly quietMs?: number
  /** The same while there is no connection, and the wait between two tries to have one. */
  readonly downMs?: number
}

/**
 * LISTEN and NOTIFY on a connection of their own, opened at the first need and again whenever it breaks. Not within the writing
 * transactions: a NOTIFY there would make all commits of the database wait for each other.
 */
export const createCommitSignal = (options: CommitSignalOptions): CommitSignal => {
  const { config, schema, quietMs = 1000, downMs = 200 } = options
  const channel = `adjutant_${createHash("sha256").update(schema).digest("hex").slice(0, 16)}`
  let version = 0
  let changedAt = performance.now()
  let client: pg.Client | undefined
  let connecting: Promise<void> | undefined
  let sending: Promise<void> | undefined
  let unsent = false
  let closed = false
  let triedAt = Number.NEGATIVE_INFINITY

  const bump = (): void => {
    version += 1
    changedAt = performance.now()
  }

  const drop = (broken: pg.Client): void => {
    if (client === broken) client = undefined
    broken.end().catch(() => undefined)
  }

  const connect = async (): Promise<void> => {
    const fresh = new ClosingClient(config)
    fresh.on("error", () => drop(fresh))
    fresh.on("end", () => drop(fresh))
    let ownId: number | undefined
    fresh.on("notification", ({ processId }) => {
      if (processId !== ownId) bump()
    })
    try {
      await fresh.connect()
      // A hint that a power cut takes is no loss.
      await fresh.query(`set synchronous_commit = off`)
      const own = await fresh.query<{ pid: number }>("select pg_backend_pid() as pid")
      ownId = own.rows[0]?.pid
      await fresh.query(`listen ${channel}`)
      if (closed) return drop(fresh)
      client = fresh
      // What was committed while nobody listened.
      bump()
    } catch {
      drop(fresh)
    }
  }

  const ensureConnected = async (): Promise<void> => {
    if (client !== undefined || closed) return
    if (connecting === undefined && performance.now() - triedAt < downMs) return
    connecting ??= connect().finally(() => {
      triedAt = performance.now()
      connecting = undefined
    })
    await connecting
  }

  const send = async (): Promise<void> => {
    while (unsent) {
      unsent = false
      await ensureConnected()
      const used = client
      // Without a connection nothing is said: followers look by themselves.
      await used?.query(`notify ${channel}`).catch(() => drop(used))
    }
  }

  return {
    version: () => {
      void ensureConnected()
      if (performance.now() - changedAt >= (client === undefined ? downMs : quietMs)) bump()
      return version
    },
    announce: () => {
      if (closed) return
      unsent = true
      sending ??= send().finally(() => {
        sending = undefined
      })
    },
    close: async () => {
      await sending
      closed = true
      await connecting
      await client?.end().catch(() => undefined)
      client = undefined
    },
  }
}

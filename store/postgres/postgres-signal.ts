import { createHash } from "node:crypto"
import type pg from "pg"
import { createPostgresListener } from "./postgres-listener.ts"

export interface CommitSignal {
  /** Changes when another process has committed, and now and then without reason: it is a hint. */
  version(): number
  /** Notifies the other processes of a commit; several at once become one notification. */
  announce(): void
  /** Sends what is not sent yet. */
  close(): Promise<void>
}

export interface CommitSignalOptions {
  readonly config: pg.ClientConfig
  /** Stores in different schemas of one database do not notify each other. */
  readonly schema: string
  /** How often followers look by themselves while no notification comes, since a process that dies may not have sent all. */
  readonly quietMs?: number
  /** The same while there is no connection, and the wait between two tries to have one. */
  readonly downMs?: number
}

/**
 * LISTEN and NOTIFY on a connection of their own. Not within the writing transactions: a NOTIFY there would make all commits of the database
 * wait for each other.
 */
export const createCommitSignal = (options: CommitSignalOptions): CommitSignal => {
  const { config, schema, quietMs = 1000, downMs = 200 } = options
  const channel = `adjutant_${createHash("sha256").update(schema).digest("hex").slice(0, 16)}`
  let version = 0
  let changedAt = performance.now()
  let sending: Promise<void> | undefined
  let unsent = false
  let closed = false

  const bump = (): void => {
    version += 1
    changedAt = performance.now()
  }

  const listener = createPostgresListener({ config, channel, retryMs: downMs, onNotification: bump })

  const send = async (): Promise<void> => {
    while (unsent) {
      unsent = false
      await listener.ensureConnected()
      const client = listener.client()
      // Without a connection nothing is sent: followers look by themselves.
      await client?.query(`notify ${channel}`).catch(() => listener.drop(client))
    }
  }

  return {
    version: () => {
      void listener.ensureConnected()
      if (performance.now() - changedAt >= (listener.client() === undefined ? downMs : quietMs)) bump()
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
      await listener.close()
    },
  }
}

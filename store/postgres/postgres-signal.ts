import { createHash } from "node:crypto"
import type pg from "pg"
import { createPostgresListener } from "./postgres-listener.ts"

export interface CommitSignalOptions {
  readonly config: pg.ClientConfig
  /** Stores in different schemas of one database do not notify each other. */
  readonly schema: string
  /** How often followers poll without a notification, since a process that dies may not have sent its last one. */
  readonly quietMs?: number
  /** How often they poll while there is no connection, and the wait between two attempts to connect. */
  readonly downMs?: number
}

/**
 * Creates a signal that uses LISTEN and NOTIFY on a separate connection: NOTIFY within the writing transactions would make all commits of the database
 * wait for each other.
 */
export const createCommitSignal = (options: CommitSignalOptions) => {
  const { config, schema, quietMs = 1000, downMs = 200 } = options
  const channel = `adjutant_${createHash("sha256").update(schema).digest("hex").slice(0, 16)}`
  let changes = 0
  let changedAt = performance.now()
  let sending: Promise<void> | undefined
  let unsent = false
  let closed = false

  const bump = (): void => {
    changes += 1
    changedAt = performance.now()
  }

  const listener = createPostgresListener({ config, channel, retryMs: downMs, onNotification: bump })

  const send = async (): Promise<void> => {
    while (unsent) {
      unsent = false
      await listener.ensureConnected()
      const client = listener.client()
      // Without a connection nothing is sent, since followers also poll.
      await client?.query(`notify ${channel}`).catch(() => listener.drop(client))
    }
  }

  return {
    /** Returns a number that changes when another process has committed, and occasionally without reason: it is only a hint. */
    changeCounter: () => {
      void listener.ensureConnected()
      if (performance.now() - changedAt >= (listener.client() === undefined ? downMs : quietMs)) bump()
      return changes
    },
    /** Notifies the other processes of a commit; several commits may share one notification. */
    notifyReaders: () => {
      if (closed) return
      unsent = true
      sending ??= send().finally(() => {
        sending = undefined
      })
    },
    /** Connects again, since the server is no longer the one to which others write. */
    renew: () => {
      const client = listener.client()
      if (client !== undefined) listener.drop(client)
    },
    /** Sends the pending notification, then closes the connection. */
    close: async () => {
      await sending
      closed = true
      await listener.close()
    },
  }
}

export type CommitSignal = ReturnType<typeof createCommitSignal>

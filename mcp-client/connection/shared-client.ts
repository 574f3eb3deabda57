import type { Client } from "@modelcontextprotocol/client"
import type { BackOff } from "./back-off.ts"

/** A client, and the last part of what its server's program wrote to standard error. */
export interface OpenedClient {
  readonly client: Client
  readonly lastStderr: () => string
}

export interface SharedClientOptions {
  readonly open: (signal: AbortSignal) => Promise<OpenedClient>
  readonly backOff: BackOff
  /** How long an unused client stays open. */
  readonly idleMs: number
  readonly onDisconnect: () => void
}

/** A client that opens on first use, opens again after its connection ended, and closes when unused. */
export interface SharedClient {
  /** Runs work with the client. Rejects with `McpUnavailable` if the server cannot be reached. */
  use<T>(work: (client: Client) => Promise<T>): Promise<T>
  isConnected(): boolean
  close(): Promise<void>
}

/** Returns the description of a failure, followed by what the server's program wrote to standard error. */
export const withStderr = (problem: string, stderr: string): string =>
  [problem, stderr].filter((text) => text !== "").join("; its output: ")

/** Counts the users of a client and calls `onIdle` when the client was unused for `idleMs`. */
const createIdleTimer = (idleMs: number, onIdle: () => void) => {
  let users = 0
  let timer: NodeJS.Timeout | undefined
  return {
    async during<T>(use: () => Promise<T>): Promise<T> {
      users += 1
      clearTimeout(timer)
      try {
        return await use()
      } finally {
        users -= 1
        if (users === 0) timer = setTimeout(onIdle, idleMs).unref()
      }
    },
    stop: () => clearTimeout(timer),
  }
}

export const createSharedClient = ({ open, backOff, idleMs, onDisconnect }: SharedClientOptions): SharedClient => {
  const closing = new WeakSet<Client>()
  let connected: Promise<Client> | undefined
  let opening = new AbortController()

  const disconnected = (): void => {
    connected = undefined
    onDisconnect()
  }

  const watched = async (signal: AbortSignal): Promise<Client> => {
    const { client, lastStderr } = await open(signal)
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's client is not an event target
    client.onclose = () => {
      if (connected === undefined || closing.has(client)) return
      disconnected()
      backOff.failed(withStderr("it ended", lastStderr()))
    }
    return client
  }

  const connect = (): Promise<Client> => {
    if (connected !== undefined) return connected
    backOff.requireDue()
    opening = new AbortController()
    const attempt = watched(opening.signal)
    connected = attempt
    attempt.catch(() => {
      if (connected === attempt) connected = undefined
    })
    return attempt
  }

  const close = async (): Promise<void> => {
    idle.stop()
    opening.abort(new Error("the connection is being closed"))
    const client = await connected?.catch(() => undefined)
    disconnected()
    if (client === undefined) return
    closing.add(client)
    await client.close().catch(() => undefined)
  }

  const idle = createIdleTimer(idleMs, () => {
    if (connected !== undefined) void close()
  })

  return {
    use: (work) =>
      idle.during(async () => {
        const result = await work(await connect())
        backOff.succeeded()
        return result
      }),
    isConnected: () => connected !== undefined,
    close,
  }
}

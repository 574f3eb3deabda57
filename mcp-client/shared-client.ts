import type { Client } from "@modelcontextprotocol/client"
import type { BackOff } from "./back-off.ts"

/** A client and the end of what its server's program wrote on standard error. */
export interface OpenedClient {
  readonly client: Client
  readonly lastStderr: () => string
}

export interface SharedClientOptions {
  readonly open: (signal: AbortSignal) => Promise<OpenedClient>
  readonly backOff: BackOff
  /** How long a client that nobody uses stays open. */
  readonly idleMs: number
  readonly onDisconnect: () => void
}

/** A client that is opened when it is first used, and again after it ended; it closes when nobody uses it. */
export interface SharedClient {
  /** Rejects with `McpUnavailable` where the server cannot be reached. */
  use<T>(work: (client: Client) => Promise<T>): Promise<T>
  isConnected(): boolean
  close(): Promise<void>
}

/** A failure with what the server's program wrote about it. */
export const withStderr = (problem: string, stderr: string): string =>
  [problem, stderr].filter((text) => text !== "").join("; it said: ")

/** Counts the users of a client and calls `onIdle` when there has been none for this long. */
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
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's client is no event target
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

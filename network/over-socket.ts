import type { IncomingMessage } from "node:http"
import { text } from "node:stream/consumers"

/** What callers use of an answer, whichever way it came. */
export interface ServerAnswer extends Pick<Response, "ok" | "status" | "text" | "json"> {
  readonly headers: Pick<Headers, "get">
  /** The pieces of the body as they arrive. */
  readonly body: AsyncIterable<Uint8Array> | null
}

export interface SocketRequest {
  readonly method?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | undefined
  readonly signal?: AbortSignal | undefined
}

// An `import` would read every export of the module, and with them load `fetch`, which takes longer than a request.
const { Agent, request } = process.getBuiltinModule("node:http")

/** A service counts open connections as commands that use it: one that is not needed any more keeps no service from its end. */
const idleConnectionMs = 1_000

/** The limit is that of an unused connection: a request waits as long as it takes. */
const agent = new Agent({ keepAlive: true, timeout: idleConnectionMs })

/** Returns why a request has failed: the reason of the signal, if it has fired. */
const failure = (signal: AbortSignal | undefined, message: string, cause: unknown): unknown =>
  signal?.aborted === true ? signal.reason : new TypeError(message, { cause })

const answerOf = (incoming: IncomingMessage, signal: AbortSignal | undefined): ServerAnswer => {
  const status = incoming.statusCode ?? 0
  const readText = async (): Promise<string> => {
    try {
      return await text(incoming)
    } catch (error) {
      throw failure(signal, "terminated", error)
    }
  }
  const pieces = async function* (): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      yield* incoming
    } catch (error) {
      throw failure(signal, "terminated", error)
    }
  }
  return {
    status,
    ok: status >= 200 && status <= 299,
    headers: { get: (name) => incoming.headersDistinct[name.toLowerCase()]?.join(", ") ?? null },
    body: { [Symbol.asyncIterator]: pieces },
    text: readText,
    json: async () => JSON.parse(await readText()),
  }
}

/**
 * Sends a request over a unix socket to a server of this machine, whatever the address names as its host. Fails as `fetch` does, and follows no redirect. It
 * waits without a limit of its own: if the server dies, the system closes the socket.
 */
export const overSocket = async (
  socketPath: string,
  address: string,
  { method = "GET", headers = {}, body, signal }: SocketRequest = {},
): Promise<ServerAnswer> => {
  const { host, pathname, search } = new URL(address)
  const options = { socketPath, agent, method, path: `${pathname}${search}`, headers: { host, ...headers } }
  try {
    const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
      request({ ...options, ...(signal === undefined ? {} : { signal }) })
        .once("response", resolve)
        .on("error", reject)
        .end(body)
    })
    return answerOf(incoming, signal)
  } catch (error) {
    throw failure(signal, "fetch failed", error)
  }
}

import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as delay } from "node:timers/promises"

/** One server-sent event; `data` that is not a string is written as JSON. */
export interface SseEvent {
  readonly event?: string
  readonly data: unknown
}

/**
 * The fake's answer to one request. A stream may end, break off in the middle, or stay open until the client
 * disconnects.
 */
export type FakeReply =
  | {
      readonly kind: "sse"
      readonly events: readonly SseEvent[]
      readonly ending?: "end" | "cut" | "hang"
      /** Time between two events, as of a model that writes; by default, they come all at once. */
      readonly everyMs?: number
    }
  | {
      readonly kind: "http"
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body: unknown
    }
  /** Never sends a header. */
  | { readonly kind: "silence" }

export interface RecordedRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage["headers"]
  readonly body: Record<string, unknown>
  /** Resolves when the answer has ended: true if the client disconnected before the end. */
  readonly left: Promise<boolean>
}

export interface FakeProvider extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`, without a path. */
  readonly url: string
  readonly requests: readonly RecordedRequest[]
  /** Resolves when request number `count` has arrived. */
  waitForRequest(count: number): Promise<RecordedRequest>
  close(): Promise<void>
}

/** A list answers request by request, and its last entry repeats; a function chooses by the request. */
export type FakeReplies =
  | readonly [FakeReply, ...FakeReply[]]
  | ((request: RecordedRequest, index: number) => FakeReply | Promise<FakeReply>)

/** Starts a provider's server on an ephemeral loopback port. */
export async function startFakeProvider(replies: FakeReplies): Promise<FakeProvider> {
  const requests: RecordedRequest[] = []
  const waiting: { readonly count: number; readonly resolve: (request: RecordedRequest) => void }[] = []
  const server = createServer((incoming, outgoing) => {
    void handle(incoming, outgoing)
  })
  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const request = await record(incoming, outgoing)
    const index = requests.push(request) - 1
    for (const { count, resolve } of waiting) if (count === requests.length) resolve(request)
    await answer(outgoing, await replyAt(replies, request, index))
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  const close = async () => {
    server.closeAllConnections()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  }
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    waitForRequest: (count) => {
      const known = requests[count - 1]
      return known ? Promise.resolve(known) : new Promise((resolve) => waiting.push({ count, resolve }))
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

function replyAt(replies: FakeReplies, request: RecordedRequest, index: number): FakeReply | Promise<FakeReply> {
  if (typeof replies === "function") return replies(request, index)
  return replies[index] ?? replies.at(-1) ?? replies[0]
}

async function record(incoming: IncomingMessage, outgoing: ServerResponse): Promise<RecordedRequest> {
  const left = new Promise<boolean>((resolve) => outgoing.once("close", () => resolve(!outgoing.writableFinished)))
  const text = (await incoming.toArray()).join("")
  return {
    method: incoming.method ?? "",
    path: incoming.url ?? "",
    headers: incoming.headers,
    body: text === "" ? {} : JSON.parse(text),
    left,
  }
}

async function answer(outgoing: ServerResponse, reply: FakeReply): Promise<void> {
  if (reply.kind === "silence") return
  if (reply.kind === "http") {
    outgoing.writeHead(reply.status, { "content-type": "application/json", ...reply.headers })
    outgoing.end(typeof reply.body === "string" ? reply.body : JSON.stringify(reply.body))
    return
  }
  outgoing.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" })
  const { events, everyMs } = reply
  if (everyMs !== undefined)
    for (const event of events.slice(0, -1)) {
      outgoing.write(toSseText(event))
      await delay(everyMs)
    }
  const rest = everyMs === undefined ? events : events.slice(-1)
  outgoing.write(rest.map(toSseText).join(""), () => {
    if (reply.ending === "cut") outgoing.destroy()
    else if (reply.ending !== "hang") outgoing.end()
  })
}

const toSseText = ({ event, data }: SseEvent): string =>
  `${event === undefined ? "" : `event: ${event}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`

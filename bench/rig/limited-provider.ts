import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { once } from "node:events"
import { z } from "zod"

export interface LimitedProvider {
  /** Its Chat Completions address. */
  readonly baseUrl: string
  /** Requests that it received. */
  requests(): number
  /** Those of them that it refused. */
  refused(): number
  close(): Promise<void>
}

const requestSchema = z.object({ messages: z.array(z.object({ role: z.string() })) })

/** Creates a bucket that contains at most as many tokens as a second brings, and is full at first. */
const createBucket = (perSecond: number) => {
  let level = perSecond
  let atMs = performance.now()
  return {
    take: (): boolean => {
      const nowMs = performance.now()
      level = Math.min(perSecond, level + ((nowMs - atMs) / 1_000) * perSecond)
      atMs = nowMs
      if (level < 1) return false
      level -= 1
      return true
    },
  }
}

const answerTo = (turn: number): string => {
  const call = {
    index: 0,
    id: `call_${turn}`,
    type: "function",
    function: { name: "Lookup", arguments: '{"key":"v"}' },
  }
  const chunk = (fields: object) =>
    `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", ...fields })}\n\n`
  return [
    chunk({ choices: [{ index: 0, delta: { role: "assistant", tool_calls: [call] }, finish_reason: null }] }),
    chunk({ choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] }),
    chunk({ choices: [], usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 } }),
    "data: [DONE]\n\n",
  ].join("")
}

/** Starts a provider that answers 429 above its rate, and a tool call otherwise. */
export const startLimitedProvider = async (perMinute: number): Promise<LimitedProvider> => {
  const bucket = createBucket(perMinute / 60)
  let requests = 0
  let refused = 0
  const server = createServer((request, response) => {
    void request.toArray().then((parts) => {
      requests += 1
      if (!bucket.take()) {
        refused += 1
        response.writeHead(429, { "content-type": "application/json" })
        response.end(JSON.stringify({ error: { type: "rate_limit_error", message: "too many requests" } }))
        return
      }
      const { messages } = requestSchema.parse(JSON.parse(parts.join("")))
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.end(answerTo(messages.filter(({ role }) => role === "assistant").length + 1))
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server that listens on a port has such an address
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests: () => requests,
    refused: () => refused,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
}

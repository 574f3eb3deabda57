import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { expect, it, onTestFinished } from "vitest"
import { createRemoteClient } from "../../../client/remote/create-remote-client.ts"

type Reply = (request: IncomingMessage, response: ServerResponse, body: string) => void

const readBody = async (request: IncomingMessage): Promise<string> => {
  let text = ""
  for await (const chunk of request) text += String(chunk)
  return text
}

/** Starts a server that gives these replies in turn, and the last one from then on. */
const clientOf = async (replies: readonly Reply[], outageToleranceMs = 60_000) => {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    const reply = replies[Math.min(requests.push(request), replies.length) - 1]
    void readBody(request).then((body) => reply?.(request, response, body))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  const url = `http://127.0.0.1:${port}`
  const timing = { requestTimeoutMs: 10_000, retryDelaysMs: [1, 1], outageToleranceMs }
  return { client: createRemoteClient({ url, token: "t0ken", timing }), requests, url }
}

const answer =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Reply =>
  (_request, response) =>
    void response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body))
const problem = (status: number, code: string) => answer(status, { error: `it is ${code}`, code, request_id: "r1" })
const dropped: Reply = (_request, response) => void response.destroy()
const actor = { by: "ci", via: "cli" }
const send = { sessionId: "abc123", text: "hi", type: "message", actor } as const
const sent = answer(202, { run_id: "run_1", state: "applied" })

it("repeats a request that was interrupted, with the same idempotency key and the token", async () => {
  const { client, requests } = await clientOf([dropped, problem(503, "temporal_unavailable"), sent])
  expect(await client.send(send)).toEqual({ runId: "run_1", state: "applied" })
  expect(new Set(requests.map(({ headers }) => headers["idempotency-key"])).size).toBe(1)
  expect(requests.map(({ headers }) => headers.authorization)).toEqual(Array(3).fill("Bearer t0ken"))
})

it("uses another key for the next request", async () => {
  const { client, requests } = await clientOf([sent])
  await client.send(send)
  await client.send(send)
  expect(new Set(requests.map(({ headers }) => headers["idempotency-key"])).size).toBe(2)
})

it("waits as long as the server asks when there are too many requests", async () => {
  const { client, requests } = await clientOf([
    answer(429, { error: "slow down", code: "rate_limited", request_id: "r" }, { "retry-after": "0.01" }),
    sent,
  ])
  expect(await client.send(send)).toMatchObject({ runId: "run_1" })
  expect(requests).toHaveLength(2)
})

it.each([
  [409, "run_mismatch"],
  [503, "engine_mismatch"],
  [429, "rate_limited"],
])("reports an answer %i %s with its code, at once", async (status, code) => {
  const { client, requests } = await clientOf([problem(status, code)])
  await expect(client.send(send)).rejects.toMatchObject({ code, message: `it is ${code}` })
  expect(requests).toHaveLength(1)
})

it("names the server if something else answers", async () => {
  const { client, url } = await clientOf([answer(200, "<html>")])
  await expect(client.info("abc123")).rejects.toMatchObject({
    code: "server_unreachable",
    message: expect.stringContaining(url),
  })
})

it("changes profiles and retries a model call by their routes, with an idempotency key for each change", async () => {
  const agent = {
    ...{ id: "editor", type: "llm", delegation: "none", description: null, active: 0, source: "store" },
    ...{ profile: { type: "llm" }, version: 1, updated_at: null, updated_by: null },
  }
  const gone: Reply = (_request, response) => void response.writeHead(204).end()
  const { client, requests } = await clientOf([
    answer(200, { items: [], next_cursor: null }),
    answer(200, agent),
    answer(201, agent),
    dropped,
    answer(200, agent),
    gone,
    answer(200, { session_id: "abc123", status: "running" }),
  ])
  const { profiles } = client
  expect(await profiles.list()).toEqual([])
  expect(await profiles.read("editor")).toEqual(agent)
  expect(await profiles.create({ name: "editor", profile: {} }, actor)).toEqual(agent)
  expect(await profiles.update({ name: "editor", profile: {}, version: 1 }, actor)).toEqual(agent)
  await profiles.delete({ name: "editor", version: 2 }, actor)
  expect(await client.retry("abc123", actor)).toEqual({ status: "running" })
  expect(requests.map(({ method, url, headers }) => [method, url, headers["idempotency-key"] !== undefined])).toEqual([
    ["GET", "/v1/agents", false],
    ["GET", "/v1/agents/editor", false],
    ["POST", "/v1/agents", true],
    ["PUT", "/v1/agents/editor", true],
    ["PUT", "/v1/agents/editor", true],
    ["DELETE", "/v1/agents/editor?version=2", true],
    ["POST", "/v1/sessions/abc123/retry", true],
  ])
  expect(requests[3]?.headers["idempotency-key"]).toBe(requests[4]?.headers["idempotency-key"])
})

it("does not follow a redirect, which would send the token elsewhere", async () => {
  const { client, requests } = await clientOf([answer(302, {}, { location: "/v1/elsewhere" })])
  await expect(client.info("abc123")).rejects.toMatchObject({ code: "server_unreachable" })
  expect(requests.every(({ url }) => url === "/v1/sessions/abc123")).toBe(true)
})

const completed = {
  outcome: "completed",
  task_id: "abc123",
  checkpoint_id: "cp",
  session_id: "abc123",
  final_message: "Done.",
  steps_taken: 1,
  usage: {
    input_tokens: 1,
    output_tokens: 1,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
    reasoning_tokens: 0,
    cost_usd: null,
  },
}
const running: Reply = (_request, response) => void response.writeHead(204).end()

it("waits through an outage that is longer than the attempts of one request", async () => {
  const { client } = await clientOf([running, ...Array<Reply>(10).fill(dropped), answer(200, completed)])
  expect(await client.wait("abc123")).toMatchObject({ final_message: "Done." })
})

it("gives up after the tolerated outage", async () => {
  const { client } = await clientOf([dropped], 0)
  await expect(client.wait("abc123")).rejects.toMatchObject({ code: "server_unreachable" })
})

const event = (id: number) => ({ id, type: "text-delta", session_id: "abc123", run_id: "r", at: "now", text: `${id}` })
const frames =
  (...ids: readonly number[]): Reply =>
  (_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" })
    for (const id of ids) response.write(`id: ${id}\nevent: text-delta\ndata: ${JSON.stringify(event(id))}\n\n`)
    response.write(": heartbeat\n\nevent: gap-detected\ndata: {}\n\n", () => response.socket?.end())
  }

it("continues a broken event stream after the last event that it got", async () => {
  const { client, requests } = await clientOf([frames(1, 2), frames(3)])
  const stop = new AbortController()
  const got: number[] = []
  for await (const { id } of client.watch("abc123", { after: 0, signal: stop.signal })) {
    got.push(id)
    if (id === 3) stop.abort()
  }
  expect(got).toEqual([1, 2, 3])
  expect(requests.map(({ url }) => url)).toEqual([
    "/v1/sessions/abc123/events?after=0",
    "/v1/sessions/abc123/events?after=2",
  ])
})

it("counts an outage of a stream from its first failure, however quiet the stream was before", async () => {
  const quiet: Reply = (_request, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders()
    setTimeout(() => response.end(), 2 * toleranceMs)
  }
  const toleranceMs = 600
  const { client } = await clientOf([quiet, dropped, frames(1)], toleranceMs)
  const stop = new AbortController()
  const { value } = await client.watch("abc123", { after: 0, signal: stop.signal })[Symbol.asyncIterator]().next()
  expect(value).toMatchObject({ id: 1 })
  stop.abort()
})

it("reads a list and a transcript in pages", async () => {
  const shownTurn = {
    ...{ role: "assistant", provider: "p", model: "m", parts: [], stop: "end_turn" },
    usage: { input_tokens: 1, output_tokens: 2, cache_read_tokens: 3, cache_write_tokens: 4, reasoning_tokens: 5 },
  }
  const page = (from: number, count: number, next: string | null) =>
    answer(200, {
      items: Array.from({ length: count }, (_, index) => ({
        seq: from + index,
        run_id: "r",
        step: 1,
        at: "now",
        message: from + index === 2 ? shownTurn : { role: "user", source: "instruction", text: "hi" },
      })),
      next_cursor: next,
    })
  const { client, requests } = await clientOf([page(1, 2, "2"), page(3, 1, null)])
  const rows = await client.messages("abc123")
  expect(rows[1]?.message).toMatchObject({
    usage: { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4, reasoningTokens: 5 },
  })
  expect(rows.map(({ seq, runId }) => [seq, runId])).toEqual([
    [1, "r"],
    [2, "r"],
    [3, "r"],
  ])
  expect(requests.map(({ url }) => url)).toEqual([
    "/v1/sessions/abc123/messages?cursor=0&limit=1000",
    "/v1/sessions/abc123/messages?cursor=2&limit=1000",
  ])
})

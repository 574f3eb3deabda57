import { createInterface } from "node:readline"
import { PassThrough } from "node:stream"
import { expect, it, onTestFinished } from "vitest"
import { openedEngine } from "../../../mcp/engine-access.ts"
import { serveMcpOverStdio } from "../../../mcp/serve-mcp-over-stdio.ts"
import { clientFixture, loaded } from "../client/client-fixture.ts"

// A message of more than 10 MiB made the SDK close its end while the process waited for an end of the input: the client
// could neither write nor read any more, and no process ended.

const served = async () => {
  const { client, store } = await clientFixture()
  const input = new PassThrough()
  const output = new PassThrough()
  const errors: string[] = []
  const service = serveMcpOverStdio(
    {
      engine: openedEngine({ client, store }),
      loaded,
      toolsets: ["tasks"],
      noApprove: false,
      caller: "test",
      logger: { warn: ({ reason }) => void errors.push(String(reason)), error: () => void errors.push("a bug") },
    },
    { input, write: (text) => output.write(text) },
  )
  onTestFinished(() => service.close())
  const lines = createInterface({ input: output })[Symbol.asyncIterator]()
  return { store, input, errors, ended: service.ended, next: async () => JSON.parse((await lines.next()).value ?? "") }
}

it("keeps the trace to which a call belongs", async () => {
  const { store, input, next } = await served()
  const clientInfo = { name: "test", version: "1" }
  const traceparent = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`
  const task = { description: "Part", instructions: "Do it.", tools: ["Read"] }
  const call = { name: "dynamic_subagent_task", arguments: task, _meta: { traceparent } }
  for (const message of [
    { id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo } },
    { method: "notifications/initialized" },
    { id: 2, method: "tools/call", params: call },
  ])
    input.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
  await next()
  expect(await next()).toMatchObject({ id: 2 })
  expect((await store.sessions.list({})).items[0]?.internal).toMatchObject({ traceparent })
})

it("ends when the client closes its end", async () => {
  const { input, errors, ended } = await served()
  input.end()
  await ended
  expect(errors).toEqual([])
})

it("ends after a message that is too large, and says so", async () => {
  const { input, errors, ended } = await served()
  input.write("x".repeat(11 * 1_048_576))
  await ended
  expect(errors).toEqual([expect.stringContaining("exceeded maximum size of 10485760 bytes")])
})

// The SDK drops every line that does not match the schema of a message: the client waited for an answer until its own time limit.
it.each([
  ["a progress token beyond the safe integers", { method: "ping", params: { _meta: { progressToken: 1e308 } } }],
  ["no method", {}],
  ["parameters that are a list", { method: "tools/list", params: [1] }],
])("answers a request with %s, and the next one", async (_, request) => {
  const { input, next } = await served()
  const clientInfo = { name: "test", version: "1" }
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo }
  const messages = [
    { id: 1, method: "initialize", params },
    { id: 2, ...request },
    { id: 3, method: "ping", params: { _meta: { a: "é" } } },
  ]
  const bytes = Buffer.from(messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join(""))
  for (const byte of bytes) input.write(Buffer.from([byte]))
  const answers = [await next(), await next(), await next()]
  expect(answers.find(({ id }) => id === 2)).toEqual({
    jsonrpc: "2.0",
    id: 2,
    error: { code: -32_600, message: expect.stringContaining("not a valid JSON-RPC request") },
  })
  expect(answers.find(({ id }) => id === 3)).toMatchObject({ result: {} })
})

// Arguments that nested so deep reached the tools, which used up the stack.
const nested = `${"[".repeat(200_000)}${"]".repeat(200_000)}`
const tooDeep = { code: -32_600, message: expect.stringContaining("nests deeper than 200 levels") }

it.each([
  ["arguments", `"params":{"name":"get_all_tasks","arguments":{"a":${nested}}}`],
  ["_meta", `"params":{"name":"get_all_tasks","arguments":{},"_meta":{"a":${nested}}}`],
])("refuses a request whose %s nest 200,000 levels deep, and answers the next one", async (_, params) => {
  const { input, next } = await served()
  const send = (json: string) => input.write(`{"jsonrpc":"2.0",${json}}\n`)
  const clientInfo = `"clientInfo":{"name":"test","version":"1"}`
  send(`"id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},${clientInfo}}`)
  expect(await next()).toMatchObject({ id: 1, result: {} })
  send(`"id":2,"method":"tools/call",${params}`)
  expect(await next()).toEqual({ jsonrpc: "2.0", id: 2, error: tooDeep })
  send(`"id":3,"method":"ping"`)
  expect(await next()).toMatchObject({ id: 3, result: {} })
})

it("refuses a request nested so deep that opens the connection, and drops a notification", async () => {
  const { input, next, errors } = await served()
  input.write(`{"jsonrpc":"2.0","method":"notifications/initialized","params":{"a":${nested}}}\n`)
  input.write(`{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"a":${nested}}}}\n`)
  expect(await next()).toEqual({ jsonrpc: "2.0", id: 1, error: tooDeep })
  expect(errors).toEqual([expect.stringContaining("nests deeper than 200 levels")])
})

it("answers no answer, and no text that is not JSON, and says in one short line what it dropped", async () => {
  const { input, next, errors } = await served()
  input.write('garbage\n{"jsonrpc":"2.0","id":1,"error":null}\n{"jsonrpc":"2.0","id":2,"result":7}\n')
  input.write('{"jsonrpc":"2.0","id":3}\n')
  expect(await next()).toMatchObject({ id: 3, error: { code: -32_600 } })
  expect(new Set(errors)).toEqual(new Set(["not a JSON-RPC message"]))
})

import { PassThrough } from "node:stream"
import { createInterface } from "node:readline"
import { expect, it, onTestFinished } from "vitest"
import { openedEngine } from "../../../mcp/engine-access.ts"
import { readRoundState } from "../../../mcp/resume/round-state.ts"
import { serveMcpOverStdio } from "../../../mcp/serve-mcp-over-stdio.ts"
import { clientFixture, loaded } from "../../unit/client/client-fixture.ts"

// Over stdio, arguments that nested 200,000 levels deep reached the tools, which used up the stack; over HTTP, they
// were refused.

const depth = 200_000
const nested = `${"[".repeat(depth)}${"]".repeat(depth)}`

interface Answer {
  readonly id?: number
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

/** Serves one client, which sends each line as it is. */
const connect = async () => {
  const { client, store } = await clientFixture()
  const input = new PassThrough()
  const output = new PassThrough()
  const errors: string[] = []
  const service = serveMcpOverStdio(
    {
      engine: openedEngine({ client, store }),
      loaded,
      toolsets: ["tasks", "task", "sessions"],
      noApprove: false,
      caller: "test",
      logger: { warn: ({ reason }) => void errors.push(String(reason)), error: () => undefined },
    },
    { input, write: (text) => output.write(text) },
  )
  onTestFinished(() => service.close())
  const lines = createInterface({ input: output })[Symbol.asyncIterator]()
  return {
    errors,
    send: (json: string) => void input.write(`{"jsonrpc":"2.0",${json}}\n`),
    next: async (): Promise<Answer> => JSON.parse((await lines.next()).value ?? ""),
  }
}

const tooDeep = { code: -32_600, message: expect.stringContaining("nests deeper than 200 levels") }

it.each([
  ["arguments", `"params":{"name":"get_all_tasks","arguments":{"a":${nested}}}`],
  ["_meta", `"params":{"name":"get_all_tasks","arguments":{},"_meta":{"a":${nested}}}`],
])("refuses a request whose %s nest 200,000 levels deep, and answers the next one", async (_, params) => {
  const { send, next } = await connect()
  const clientInfo = `"clientInfo":{"name":"test","version":"1"}`
  send(`"id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},${clientInfo}}`)
  expect(await next()).toMatchObject({ id: 1, result: {} })
  send(`"id":2,"method":"tools/call",${params}`)
  expect(await next()).toEqual({ jsonrpc: "2.0", id: 2, error: tooDeep })
  send(`"id":3,"method":"ping"`)
  expect(await next()).toMatchObject({ id: 3, result: {} })
})

it("refuses one that opens the connection, and drops a notification", async () => {
  const { send, next, errors } = await connect()
  send(`"method":"notifications/initialized","params":{"a":${nested}}`)
  send(`"id":1,"method":"server/discover","params":{"_meta":{"a":${nested}}}`)
  expect(await next()).toEqual({ jsonrpc: "2.0", id: 1, error: tooDeep })
  expect(errors).toEqual([expect.stringContaining("nests deeper than 200 levels")])
})

it("takes a state between rounds that nests like that for no state", () => {
  expect(readRoundState(`{"sessionId":"a","dismissed":${nested}}`)).toEqual({ dismissed: [], late: [], rounds: 0 })
  expect(readRoundState(`{"sessionId":"a","more":${nested}}`)).toEqual({ dismissed: [], late: [], rounds: 0 })
})

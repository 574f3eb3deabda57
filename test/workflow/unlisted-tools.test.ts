import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import type { ConfigInput } from "../../contracts/config/config.ts"
import { untilPasses } from "../helpers/eventually.ts"
import { type Harness, openHarness } from "../helpers/engine/workflow-harness.ts"
import { listedServer } from "../helpers/mcp/listed-server.ts"
import { createFakeTurns } from "../helpers/models/fake-model.ts"
import { createChatCalls, readWireToolResults, startChatModel } from "../helpers/providers/chat-model.ts"
import { createChatText } from "../helpers/providers/chat-wire.ts"
import type { FakeProvider, FakeReply, RecordedRequest } from "../helpers/providers/fake-provider-server.ts"

let harness: Harness
let provider: FakeProvider

afterEach(async () => {
  await harness.close()
  await provider.close()
})

const actor = { by: "test", via: "cli" }
/** What OpenAI takes. */
const providerMost = 128

const isNamed = (value: unknown): value is { readonly function: { readonly name: string } } =>
  typeof value === "object" && value !== null && "function" in value

const toolNames = ({ body }: RecordedRequest): readonly string[] => {
  const { tools } = body
  return Array.isArray(tools) ? tools.filter(isNamed).map((tool) => tool.function.name) : []
}

const numbered = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `do_${index + 1}`)

/** Returns what a server lists, as a file that can change, and its calls. */
const createList = () => {
  const folder = mkdtempSync(join(tmpdir(), "adjutant-listed-"))
  const [file, log] = [join(folder, "tools.json"), join(folder, "log")]
  return {
    set: (names: readonly string[]) => writeFileSync(file, JSON.stringify(names)),
    calls: () => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []),
    server: {
      command: process.execPath,
      args: ["-e", listedServer],
      env: { LISTED_TOOLS: file, LISTED_LOG: log },
    },
  }
}

type List = ReturnType<typeof createList>

const open = async (
  { server }: List,
  answer: (turn: number, request: RecordedRequest) => FakeReply,
  {
    connectTimeoutMs = 20_000,
    ...tools
  }: NonNullable<ConfigInput["tools"]> & { readonly connectTimeoutMs?: number } = {},
) => {
  provider = await startChatModel((turn, request) =>
    toolNames(request).length > providerMost
      ? { kind: "http", status: 400, body: { error: { message: "array too long" } } }
      : answer(turn, request),
  )
  harness = await openHarness({
    model: createFakeTurns(),
    config: {
      models: { main: { provider: "openai-compatible", model: "m", baseUrl: `${provider.url}/v1` } },
      mcpServers: { big: { ...server, connectTimeoutMs } },
      tools,
    },
  })
  return harness
}

const unlisted = async ({ store }: Harness, id: string) =>
  (await store.events.read(id, { after: 0, limit: 200 })).events.filter(({ type }) => type === "tools-unlisted")

const results = async ({ client }: Harness, id: string) =>
  (await client.messages(id)).flatMap(({ message }) => (message.role === "tool" ? [message] : []))

/** Whether each request begins with the one before it. */
const beginAlike = ({ requests }: FakeProvider): boolean =>
  requests.every((request, index) => {
    const before = requests[index - 1]
    if (before === undefined) return true
    const [earlier, later] = [before, request].map(({ body }) => JSON.stringify(body["messages"]).slice(0, -1))
    return (
      JSON.stringify(before.body["tools"]) === JSON.stringify(request.body["tools"]) &&
      later?.startsWith(earlier ?? "-")
    )
  })

const callTool = (turn: number, name: string, args: Readonly<Record<string, unknown>> = { amount: 5 }): FakeReply =>
  createChatCalls(turn, ["call_tool", { name, arguments: args }])

describe("a server with more tools than a provider takes", () => {
  it("has those in its list that fit, and the others are found and called as themselves", async () => {
    const list = createList()
    list.set(numbered(200))
    const h = await open(
      list,
      (turn, request) => {
        if (turn === 1) return createChatCalls(turn, ["find_tools", { query: "do_150" }])
        if (turn === 2) return callTool(turn, "mcp__big__do_150", { amount: "5" })
        return createChatText(readWireToolResults(request).at(-1) ?? "")
      },
      { maxOffered: 500 },
    )
    const id = await h.start({ auto_approve: false })
    expect(await h.client.wait(id)).toMatchObject({
      outcome: "paused",
      pause_reason: { pending_tool_calls: [{ name: "mcp__big__do_150" }] },
    })
    const approvals = JSON.stringify(await h.client.approvals())
    expect(approvals).toContain("mcp__big__do_150")
    expect(approvals).not.toContain("call_tool")
    await h.client.decide({ sessionId: id, all: { action: "accept" }, unlisted: "pending", actor })
    expect(await h.client.wait(id)).toMatchObject({ outcome: "completed", final_message: "did do_150" })
    expect(list.calls()).toEqual(['do_150 {"amount":5}'])
    expect(await results(h, id)).toMatchObject([
      {
        name: "find_tools",
        content: expect.stringContaining("mcp__big__do_150\nDoes do_150\narguments (JSON Schema)"),
      },
      { name: "mcp__big__do_150", outcome: "ok" },
    ])

    const [first] = provider.requests
    expect(first && toolNames(first)).toHaveLength(providerMost)
    expect(first && toolNames(first)).not.toContain("mcp__big__do_150")
    expect(JSON.stringify(provider.requests.at(-1)?.body["messages"])).toContain(
      JSON.stringify({
        name: "call_tool",
        arguments: JSON.stringify({ name: "mcp__big__do_150", arguments: { amount: 5 } }),
      }).slice(1, -1),
    )
    await h.client.send({ sessionId: id, text: "And now?", type: "follow_up", actor })
    await untilPasses(() => expect(provider.requests).toHaveLength(4))
    expect(await h.client.wait(id)).toMatchObject({ outcome: "completed" })
    expect(beginAlike(provider)).toBe(true)
    const [said, ...others] = await unlisted(h, id)
    expect(others).toHaveLength(1)
    expect([said]).toMatchObject([
      {
        message: expect.stringMatching(/^the list of the model has \d+ of the 200 tools of MCP server big: find_tools/),
      },
    ])
  })
})

describe("a call of call_tool", () => {
  it("is refused as the tool that it names, also one of this program", async () => {
    const list = createList()
    list.set(numbered(2))
    const h = await open(
      list,
      (turn) =>
        turn === 1
          ? createChatCalls(
              turn,
              ["call_tool", { name: "mcp__big__do_2", arguments: { amount: 1 } }],
              ["call_tool", { name: "Write", arguments: { file_path: "a.txt", content: "a" } }],
              ["call_tool", { name: "call_tool", arguments: { name: "mcp__big__do_1", arguments: { amount: 1 } } }],
              ["call_tool", { name: "mcp__big__do_9", arguments: {} }],
              ["call_tool", { arguments: {} }],
              ["call_tool", { name: "mcp__big__do_1", arguments: {} }],
            )
          : createChatText("done"),
      { maxOffered: 1, never: "reject", policy: { mcp__big__do_2: "never", Write: "never", call_tool: "auto" } },
    )
    const id = await h.start({ auto_approve: false })
    expect(await h.client.wait(id)).toMatchObject({ outcome: "completed" })
    expect(await results(h, id)).toMatchObject([
      { name: "mcp__big__do_2", outcome: "rejected" },
      { name: "Write", outcome: "rejected" },
      { name: "call_tool", content: "call_tool calls other tools: name one of them" },
      { name: "mcp__big__do_9", content: expect.stringContaining("did you mean mcp__big__do_1") },
      { name: "call_tool", content: expect.stringMatching(/do not fit.*name/s) },
      { name: "mcp__big__do_1", content: expect.stringMatching(/do not fit.*amount/s) },
    ])
    expect(list.calls()).toEqual([])
  })
})

describe("the list of a run", () => {
  it("stays as its first request had it while its server lists other tools, and in the next worker", async () => {
    const list = createList()
    list.set(["stay", "go"])
    const h = await open(list, (turn, request) => {
      if (turn === 1) {
        list.set(["stay", "come"])
        return createChatCalls(turn, ["mcp__big__stay", { amount: 1 }])
      }
      if (turn === 2) return createChatCalls(turn, ["mcp__big__go", { amount: 2 }], ["find_tools", { query: "come" }])
      if (turn === 3) return callTool(turn, "mcp__big__come")
      if (turn === 4) return createChatCalls(turn, ["mcp__big__stay", { amount: 3 }])
      return createChatText(readWireToolResults(request).at(-1) ?? "")
    })
    const id = await h.start({ auto_approve: ["mcp__big__come"] })
    await h.client.wait(id)
    await h.client.decide({ sessionId: id, all: { action: "accept" }, unlisted: "pending", actor })
    await h.client.wait(id)
    await h.stopWorker()
    await h.startWorker()
    await h.client.decide({ sessionId: id, all: { action: "accept" }, unlisted: "pending", actor })
    expect(await h.client.wait(id)).toMatchObject({ outcome: "completed", final_message: "did stay" })
    expect(list.calls().map((call) => call.split(" ")[0])).toEqual(["stay", "come", "stay"])
    expect(await results(h, id)).toMatchObject([
      { content: "did stay" },
      { content: "MCP server big no longer has the tool mcp__big__go: continue without it" },
      { content: expect.stringContaining("mcp__big__come\nDoes come") },
      { name: "mcp__big__come", content: "did come" },
      { content: "did stay" },
    ])
    expect(provider.requests).toHaveLength(5)
    expect(beginAlike(provider)).toBe(true)
    expect(provider.requests[0] && toolNames(provider.requests[0])).toEqual(
      expect.arrayContaining(["mcp__big__stay", "mcp__big__go", "find_tools", "call_tool"]),
    )
    expect(await unlisted(h, id)).toEqual([])
  })

  it("does not get the tools of a server that lists them after the first step, which are found and called", async () => {
    const list = createList()
    const h = await open(
      list,
      (turn, request) => {
        if (turn === 1) list.set(["late"])
        const found = readWireToolResults(request).some((text) => text.includes("Does late"))
        const called = readWireToolResults(request).some((text) => text === "did late")
        if (called) return createChatText("done")
        return found ? callTool(turn, "mcp__big__late") : createChatCalls(turn, ["find_tools", { query: "late" }])
      },
      { connectTimeoutMs: 300 },
    )
    const id = await h.start({ max_steps: 200 })
    expect(await h.client.wait(id)).toMatchObject({ outcome: "completed", final_message: "done" })
    expect(provider.requests[0] && toolNames(provider.requests[0])).not.toContain("mcp__big__late")
    expect(beginAlike(provider)).toBe(true)
    expect(list.calls()).toHaveLength(1)
  })

  it("has a tool that the run names, also while its server does not answer", async () => {
    const list = createList()
    const h = await open(
      list,
      (turn, request) => {
        if (turn === 1) list.set(["named"])
        const called = readWireToolResults(request).some((text) => text === "did named")
        return called ? createChatText("done") : createChatCalls(turn, ["mcp__big__named", { amount: 1 }])
      },
      { connectTimeoutMs: 300 },
    )
    const id = await h.start({ agent: "explore", allowed_tools: ["Read", "mcp__big__named"], max_steps: 200 })
    expect(await h.client.wait(id)).toMatchObject({ outcome: "completed", final_message: "done" })
    expect(provider.requests[0] && toolNames(provider.requests[0])).toEqual(["Read", "mcp__big__named"])
    expect(beginAlike(provider)).toBe(true)
  })
})

import { mkdtempSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import type { ConfigInput } from "../../contracts/config/config.ts"
import { acceptToolLists } from "../../mcp-client/tool-pins.ts"
import type { ModelProvider } from "../../models/model-provider.ts"
import { eventually } from "../helpers/eventually.ts"
import { createFakeModel, createFakeTurns } from "../helpers/models/fake-model.ts"
import { createTestServerConfig } from "../helpers/mcp/server-config.ts"
import { type Harness, openHarness } from "../helpers/engine/workflow-harness.ts"

let harness: Harness
afterEach(() => harness.close())

const actor = { by: "test", via: "cli" }

const open = async (model: ModelProvider, config: ConfigInput = {}, trustReadOnlyHint = true) => {
  const log = join(mkdtempSync(join(tmpdir(), "adjutant-mcp-")), "log")
  harness = await openHarness({
    model,
    config: { mcpServers: { docs: { ...createTestServerConfig({ TEST_LOG: log }), trustReadOnlyHint } }, ...config },
  })
  return { ...harness, lines: () => readFileSync(log, "utf8").trim().split("\n") }
}

const results = async (id: string) =>
  (await harness.client.messages(id)).flatMap(({ message }) => (message.role === "tool" ? [message] : []))

describe("a model with the tools of a server", () => {
  it("sees the server's schemas, calls them as well as its own tools, and reads their answers", async () => {
    let offered: readonly { name: string; inputSchema: unknown }[] = []
    const { start, client } = await open(
      createFakeModel((request, turn) => {
        offered = request.tools
        if (turn > 1) return { text: "read" }
        return {
          calls: [
            ["mcp__docs__echo", { text: "hello" }],
            ["LS", {}],
            ["mcp__docs__everything", {}],
          ],
        }
      }),
    )
    const id = await start()
    expect(await client.wait(id)).toMatchObject({ outcome: "completed" })
    expect(offered.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["LS", "mcp__docs__echo", "mcp__docs__note"]),
    )
    expect(offered.find(({ name }) => name === "mcp__docs__echo")?.inputSchema).toMatchObject({ required: ["text"] })
    expect(await results(id)).toMatchObject([
      { name: "mcp__docs__echo", outcome: "ok", content: "hello" },
      { name: "LS", outcome: "ok" },
      { name: "mcp__docs__everything", outcome: "ok", content: expect.stringContaining('"type":"image"') },
    ])
  })

  it("is told what is wrong with arguments, tools and results, and continues", async () => {
    const { start, client } = await open(
      createFakeTurns(
        {
          calls: [
            ["mcp__docs__echo", { text: { line: 5 } }],
            ["mcp__docs__ecko", {}],
            ["mcp__docs__fail", {}],
            ["mcp__docs__crash", {}],
          ],
        },
        { text: "I see" },
      ),
    )
    const id = await start()
    expect(await client.wait(id)).toMatchObject({ outcome: "completed", final_message: "I see" })
    expect(await results(id)).toMatchObject([
      { outcome: "error", content: expect.stringMatching(/do not fit.*text/s) },
      { outcome: "error", content: expect.stringContaining("did you mean mcp__docs__echo") },
      { outcome: "error", content: "it did not work" },
      { outcome: "error", content: expect.stringContaining("it is unknown whether") },
    ])
  })

  it("continues without a server that is down, and is told so when it calls it", async () => {
    const { start, client, store } = await open(
      createFakeTurns(
        {
          calls: [
            ["mcp__docs__echo", {}],
            ["LS", {}],
          ],
        },
        { text: "done" },
      ),
      {
        mcpServers: { docs: createTestServerConfig({ TEST_FAIL: "1" }) },
      },
    )
    const id = await start()
    expect(await client.wait(id)).toMatchObject({ outcome: "completed" })
    const { events } = await store.events.read(id, { after: 0, limit: 100 })
    const reason = expect.stringMatching(/^MCP server docs cannot be reached: .*I refuse to start/s)
    expect(events.filter(({ type }) => type === "tools-unavailable")).toMatchObject([
      { server: "docs", message: reason },
    ])
    const [instruction] = await client.messages(id)
    expect(instruction?.message).toMatchObject({
      text: expect.stringMatching(
        /\n\n\(Tools are missing: MCP server docs cannot be reached: .*I refuse to start.*\)$/s,
      ),
    })
    expect(await results(id)).toMatchObject([
      { outcome: "error", content: expect.stringMatching(/MCP server docs cannot be reached.*continue without/s) },
      { name: "LS", outcome: "ok" },
    ])
  })

  it("sees only the tools that its list names", async () => {
    let offered: readonly string[] = []
    const { start, client } = await open(
      createFakeModel(({ tools }) => {
        offered = tools.map(({ name }) => name)
        return { text: "ok" }
      }),
    )
    await client.wait(await start({ agent: "explore", allowed_tools: ["Read", "mcp__docs__echo"] }))
    expect(offered).toEqual(["Read", "mcp__docs__echo"])
  })

  it("leads to one warning in the log of each run while its server lists other tools than at first", async () => {
    const { start, client, dataDir, store } = await open(
      createFakeModel(({ messages }, turn) => {
        if (turn > 2 || !JSON.stringify(messages).includes("Grow.")) return { text: "done" }
        // The server announces its new tool after the answer to the call that adds it, and before that to the next one.
        return { calls: [turn === 1 ? ["mcp__docs__grow", {}] : ["mcp__docs__echo", { text: "a" }]] }
      }),
    )
    const warningsOf = async (request: Parameters<typeof start>[0] = {}) => {
      const id = await start(request)
      await client.wait(id)
      const { events } = await store.events.read(id, { after: 0, limit: 100 })
      return events.filter(({ type }) => type === "tools-changed")
    }
    expect(await warningsOf()).toEqual([])
    const warning = { server: "docs", added: ["grown"], removed: [], changed: [] }
    const message = expect.stringMatching(/^the tools of MCP server docs differ from those pinned at .*: new grown$/)
    expect(await warningsOf({ prompt: "Grow." })).toMatchObject([{ ...warning, message }])
    expect(await warningsOf()).toMatchObject([warning])
    await acceptToolLists(dataDir, "docs")
    expect(await warningsOf()).toEqual([])
  })

  it("shows progress as events", async () => {
    const { start, client, store } = await open(
      createFakeTurns({ calls: [["mcp__docs__slow", { steps: 3 }]] }, { text: "done" }),
    )
    const id = await start()
    await client.wait(id)
    const { events } = await store.events.read(id, { after: 0, limit: 100 })
    expect(events.find(({ type }) => type === "tool-progressed")).toMatchObject({
      name: "mcp__docs__slow",
      progress: 1,
      total: 3,
      message: "step 1",
    })
  })

  it("requires approval for calls that a trusted server does not mark read-only, and never less than the policy", async () => {
    const model = createFakeTurns(
      {
        calls: [
          ["mcp__docs__echo", { text: "a" }],
          ["mcp__docs__note", { line: "b" }],
          ["mcp__docs__set", {}],
        ],
      },
      { text: "done" },
    )
    const { start, client } = await open(model)
    const pending = async (id: string) => {
      const document = await client.wait(id)
      return document?.outcome === "paused"
        ? document.pause_reason.pending_tool_calls?.map(({ name }) => name)
        : document
    }
    expect(await pending(await start({ auto_approve: false }))).toEqual(["mcp__docs__note", "mcp__docs__set"])
    await harness.close()
    const strict = await open(model, { tools: { policy: { "mcp__docs__*": "prompt" } } })
    const document = await strict.client.wait(await strict.start({ auto_approve: false }))
    expect(document).toMatchObject({ pause_reason: { pending_tool_calls: [{ name: "mcp__docs__echo" }, {}, {}] } })
    await harness.close()
    const untrusted = await open(model, {}, false)
    expect(await untrusted.client.wait(await untrusted.start({ auto_approve: false }))).toMatchObject({
      pause_reason: { pending_tool_calls: [{ name: "mcp__docs__echo" }, {}, {}] },
    })
  })

  it("waits for a person if a server asks, and continues the same call with the answer", async () => {
    const { start, client, lines } = await open(
      createFakeTurns(
        {
          calls: [
            ["mcp__docs__deploy", { place: "production" }],
            ["mcp__docs__note", { line: "after" }],
          ],
        },
        { text: "done" },
      ),
    )
    const id = await start()
    expect(await client.wait(id)).toMatchObject({
      outcome: "paused",
      pause_reason: { type: "input_required" },
      agent_message: expect.stringContaining("Deploy to production?"),
    })
    await client.send({ sessionId: id, text: '{"sure": true}', type: "message", actor })
    await eventually(async () => (await client.info(id)).status === "completed")
    expect(lines()).toEqual(["asked about production", "deployed to production", "note after"])
    expect(await results(id)).toMatchObject([{ content: "deployed to production" }, { content: "noted" }])
  })

  it("receives steering instead if that comes before the answer", async () => {
    const { start, client, lines } = await open(
      createFakeTurns({ calls: [["mcp__docs__deploy", { place: "production" }]] }, { text: "left it" }),
    )
    const id = await start()
    await client.wait(id)
    await client.send({ sessionId: id, text: "Leave it.", type: "steering", actor })
    await eventually(async () => (await client.info(id)).status === "completed")
    expect(await results(id)).toMatchObject([{ outcome: "skipped" }])
    expect(lines()).toEqual(["asked about production"])
  })
})

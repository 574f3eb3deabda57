import { existsSync, mkdtempSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { sessionsSpawnInputSchema } from "../../../contracts/delegation/sessions-input.ts"
import type { TestConfig } from "../../helpers/engine/open-harness-at.ts"
import { eventually, untilPasses } from "../../helpers/eventually.ts"
import { createFakeTurns } from "../../helpers/models/fake-model.ts"
import { createTestServerConfig } from "../../helpers/mcp/server-config.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"

let harness: Harness | undefined
afterEach(async () => {
  await harness?.close()
  harness = undefined
})

const actor = { by: "test", via: "cli" }

type Profile = { mcpTool: string; mcpToolInput?: string; timeoutMs?: number; idempotent?: boolean }

const open = async (profile: Profile, config: TestConfig = {}) => {
  const log = join(mkdtempSync(join(tmpdir(), "adjutant-bridge-")), "log")
  harness = await openHarness({
    model: createFakeTurns(),
    shutdownGraceMs: 100,
    config: {
      mcpServers: { docs: { ...createTestServerConfig({ TEST_LOG: log }), trustReadOnlyHint: true } },
      ...config,
      agents: { bridge: { type: "mcp-bridge", ...profile } },
    },
  })
  const { start, client } = harness
  const begin = (request: Parameters<Harness["start"]>[0] = {}) => start({ agent: "bridge", ...request })
  const moved = async (id: string) => {
    await eventually(async () => !["paused", "running"].includes((await client.info(id)).status))
    return client.wait(id)
  }
  const lines = () => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : [])
  return { ...harness, begin, moved, lines }
}

describe("an MCP tool as an agent", () => {
  it("is called with the filled-in template, whatever the task says", async () => {
    const { begin, client } = await open({
      mcpTool: "mcp__docs__echo",
      mcpToolInput: '{"text": "<{{task}}> <{{context}}>"}',
    })
    const task = 'say "hi"\n\\ and {{context}} 🙂'
    const id = await begin({ prompt: task, metadata: { context: [{ name: "notes", content: "short" }] } })
    expect(await client.wait(id)).toMatchObject({
      outcome: "completed",
      final_message: `<${task}> <# notes\nshort>`,
      usage: { input_tokens: 0, cost_usd: 0 },
    })
    expect((await client.messages(id)).map(({ message }) => message)).toMatchObject([
      { role: "user", text: task },
      { role: "assistant", provider: "mcp-bridge", parts: [{ call: { name: "mcp__docs__echo" } }] },
      { role: "assistant", provider: "mcp-bridge", model: "none" },
    ])
  })

  it("gets the context of every way to start it apart from its task", async () => {
    const { begin, client, cwd } = await open(
      { mcpTool: "mcp__docs__echo", mcpToolInput: '{"text": "<{{task}}> <{{context}}>"}' },
      { tools: { policy: { mcp__docs__echo: "auto" } } },
    )
    const id = await begin({ prompt: "Look.", context: [{ content: "Known." }] })
    expect(await client.wait(id)).toMatchObject({ final_message: "<Look.> <Known.>" })
    const input = sessionsSpawnInputSchema.parse({ agentId: "bridge", task: "Spawned.", context: "From outside." })
    const call = { tool: "sessions_spawn", input } as const
    const spawned = await client.spawn({ call, caller: "cli:test", isPerson: true, cwd, actor })
    if (spawned.kind !== "started") throw new Error("expected a start")
    expect(await client.wait(spawned.child.sessionId)).toMatchObject({ final_message: "<Spawned.> <From outside.>" })
  })

  it("returns results that are not text as JSON", async () => {
    const { begin, client } = await open({ mcpTool: "mcp__docs__everything", mcpToolInput: "{}" })
    const document = await client.wait(await begin())
    expect(document).toMatchObject({ outcome: "completed", final_message: expect.stringContaining('{"answer":42}') })
    expect(document).toMatchObject({ final_message: expect.stringContaining('"type":"image"') })
  })

  it.each([
    [
      "a tool that does not exist",
      { mcpTool: "mcp__docs__ecko" },
      "tool_not_found",
      /^tool not found: mcp__docs__ecko \(did you mean mcp__docs__echo/,
    ],
    ["a server that does not exist", { mcpTool: "mcp__dosc__echo" }, "tool_not_found", /did you mean mcp__docs__echo/],
    [
      "arguments that do not fit",
      { mcpTool: "mcp__docs__echo", mcpToolInput: '{"text": 5}' },
      "invalid_argument",
      /text.*agents\.bridge\.mcpToolInput/s,
    ],
    ["missing input that does not fit", { mcpTool: "mcp__docs__echo" }, "invalid_argument", /text/],
    [
      "a template that becomes invalid JSON",
      { mcpTool: "mcp__docs__echo", mcpToolInput: '{"text": "a", "times": {{task}}}' },
      "invalid_argument",
      /\{\{task\}\} without quotes/,
    ],
    ["an error of the tool", { mcpTool: "mcp__docs__fail", mcpToolInput: "{}" }, "tool_failed", /it did not work/],
  ])("fails clearly on %s", async (_, profile, code, message) => {
    const { begin, client, lines } = await open(profile)
    expect(await client.wait(await begin())).toMatchObject({
      outcome: "failed",
      stop_reason: "error",
      error: { code, message: expect.stringMatching(message) },
    })
    expect(lines()).toEqual([])
  })

  it("fails with a clear error if its server is down", async () => {
    const { begin, client } = await open(
      { mcpTool: "mcp__docs__echo", mcpToolInput: "{}" },
      { mcpServers: { docs: createTestServerConfig({ TEST_FAIL: "1" }) } },
    )
    expect(await client.wait(await begin())).toMatchObject({
      error: { code: "mcp_unavailable", message: expect.stringMatching(/MCP server docs cannot be reached/) },
    })
  })

  it("times out by its own limit, and is stopped by a cancel", async () => {
    const { begin, client, lines } = await open({ mcpTool: "mcp__docs__hang", mcpToolInput: "{}", timeoutMs: 5_000 })
    expect(await client.wait(await begin())).toMatchObject({
      outcome: "failed",
      stop_reason: "timeout",
      error: { message: expect.stringContaining("5000 ms") },
    })
    const id = await begin()
    await untilPasses(() => expect(lines().filter((line) => line === "hang")).toHaveLength(2))
    await client.cancel(id, actor)
    expect(await client.wait(id)).toMatchObject({ stop_reason: "cancelled" })
    await untilPasses(() => expect(lines().filter((line) => line === "hang stopped")).toHaveLength(2))
  })
})

describe("the approval policy of a bridge", () => {
  const noteInput = { mcpTool: "mcp__docs__note", mcpToolInput: '{"line": "{{task}}"}' }

  it("runs a tool that a trusted server marks read-only, and requires approval for others", async () => {
    const { begin, client } = await open({ mcpTool: "mcp__docs__echo", mcpToolInput: '{"text": "{{task}}"}' })
    expect(await client.wait(await begin({ auto_approve: false }))).toMatchObject({ outcome: "completed" })
    await harness?.close()
    const other = await open(noteInput)
    const id = await other.begin({ auto_approve: false, prompt: "hello" })
    expect(await other.client.wait(id)).toMatchObject({
      outcome: "paused",
      pause_reason: { pending_tool_calls: [{ name: "mcp__docs__note", arguments: { line: "hello" } }] },
    })
    expect(other.lines()).toEqual([])
    await other.client.decide({ sessionId: id, all: { action: "accept" }, unlisted: "pending", actor })
    expect(await other.moved(id)).toMatchObject({ outcome: "completed", final_message: "noted" })
    expect(other.lines()).toEqual(["note hello"])
  })

  it("is never loosened by a server's claims", async () => {
    const { begin, client } = await open(
      { mcpTool: "mcp__docs__echo", mcpToolInput: '{"text": "{{task}}"}' },
      { tools: { policy: { "mcp__*": "prompt" } } },
    )
    expect(await client.wait(await begin({ auto_approve: false }))).toMatchObject({ outcome: "paused" })
  })
})

describe.each(["modern", "legacy"])("a question of a %s server", (era) => {
  it("pauses the run for a person, and the call continues with the answer", async () => {
    const log = join(mkdtempSync(join(tmpdir(), "adjutant-bridge-")), "log")
    const { begin, client, moved, stopWorker, startWorker } = await open(
      { mcpTool: "mcp__docs__deploy", mcpToolInput: '{"place": "{{task}}"}' },
      { mcpServers: { docs: createTestServerConfig({ TEST_ERA: era, TEST_LOG: log }) } },
    )
    const id = await begin({ prompt: "production" })
    expect(await client.wait(id)).toMatchObject({
      outcome: "paused",
      pause_reason: { type: "input_required" },
      agent_message: expect.stringContaining("Deploy to production?"),
    })
    await stopWorker()
    await startWorker()
    await client.send({ sessionId: id, text: "perhaps", type: "message", actor })
    await eventually(async () => {
      const document = await client.outcome(id)
      return document?.outcome === "paused" && document.agent_message.startsWith("The answer was not accepted")
    })
    await client.send({ sessionId: id, text: "yes", type: "message", actor })
    expect(await moved(id)).toMatchObject({ outcome: "completed", final_message: "deployed to production" })
    expect(readFileSync(log, "utf8").match(/^deployed/gm)).toHaveLength(1)
  })
})

describe("a worker that dies during a call", () => {
  it("leaves an unknown outcome, and the call is not repeated", async () => {
    const { begin, client, lines, stopWorker, startWorker } = await open(
      { mcpTool: "mcp__docs__hang", mcpToolInput: "{}" },
      { timing: { heartbeatTimeoutMs: 1_000 } },
    )
    const id = await begin()
    await untilPasses(() => expect(lines()).toContain("hang"))
    await stopWorker()
    await startWorker()
    expect(await client.wait(id)).toMatchObject({ outcome: "failed", error: { code: "outcome_unknown" } })
    expect(lines().filter((line) => line === "hang")).toHaveLength(1)
  })
})

import { afterEach, describe, expect, it } from "vitest"
import { checkSchema } from "../../../sessions/result/check-schema.ts"
import { createMcpServers, type McpServers } from "../../../mcp-client/mcp-servers.ts"
import { defaultConnectionLimits } from "../../../mcp-client/connection/connection-limits.ts"
import { toolHashes } from "../../../mcp-client/tool-pins.ts"
import type { ToolResult } from "../../../tools/tool.ts"
import { toolEnvironment } from "../../../tools/tool-environment.ts"
import { createWorkspace } from "../tools/workspace.ts"

// A server whose messages nest 200,000 levels deep used up the stack of whatever read them next.

/** Speaks MCP line by line: the SDK's own server could not write such messages. */
const program = String.raw`
const deep = "[".repeat(200_000) + "]".repeat(200_000)
const write = (json) => process.stdout.write('{"jsonrpc":"2.0",' + json + "}\n")
const text = (value) => '{"content":[{"type":"text","text":' + JSON.stringify(value) + "}]}"
const tool = (name, schema = '{"type":"object"}') => '{"name":"' + name + '","inputSchema":' + schema + "}"
const names = ["flat", "meta", "structured", "notified", "asked"]
let asking
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params, error } = JSON.parse(line)
  const answer = (json) => write('"id":' + JSON.stringify(id) + "," + json)
  if (id === "question") return write('"id":' + asking + ',"result":' + text("asked: " + error.message))
  if (id === undefined) return
  if (method === "initialize")
    return answer('"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"deep","version":"1"}}')
  if (method === "tools/list") {
    const extra = process.env.DEEP_LIST ? "," + tool("deep", '{"type":"object","default":' + deep + "}") : ""
    return answer('"result":{"tools":[' + names.map((name) => tool(name)).join() + extra + "]}")
  }
  if (method !== "tools/call") return answer('"error":{"code":-32601,"message":"not found"}')
  if (params.name === "meta") return answer('"result":{"_meta":{"a":' + deep + '},"content":[]}')
  if (params.name === "structured") return answer('"result":{"structuredContent":{"a":' + deep + '},"content":[]}')
  if (params.name === "notified") write('"method":"notifications/message","params":{"level":"info","data":' + deep + "}")
  if (params.name === "asked") {
    asking = JSON.stringify(id)
    return write('"id":"question","method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object","properties":{"a":' + deep + "}}}")
  }
  answer('"result":' + text("done"))
})`

const opened: McpServers[] = []
afterEach(() => Promise.all(opened.splice(0).map((one) => one.close())))

const list = async (env: Readonly<Record<string, string>> = {}) => {
  const servers = createMcpServers({
    checkSchema,
    env: process.env,
    toolEnv: (allow) => toolEnvironment(process.env, allow),
    limits: defaultConnectionLimits,
  })
  opened.push(servers)
  const deep = {
    command: process.execPath,
    args: ["-e", program],
    env,
    envFrom: {},
    timeoutMs: 20_000,
    trustReadOnlyHint: false,
  }
  return await servers.tools({ mcpServers: { deep }, envAllow: ["PATH", "HOME"] }, ["mcp__deep__*"])
}

const call = async (name: string): Promise<ToolResult> => {
  const { tools } = await list()
  const tool = tools.find((each) => each.name === `mcp__deep__${name}`)
  if (tool === undefined) throw new Error(`no tool ${name}`)
  return await tool.execute({}, createWorkspace().context)
}

describe("a server whose messages nest 200,000 levels deep", () => {
  it.each(["meta", "structured"])("ends the call with an error that says so: in %s", async (name) => {
    expect(await call(name)).toMatchObject({ isError: true, content: expect.stringContaining("nests deeper than 200") })
  })

  it("does not disturb a call with a notification", async () => {
    expect(await call("notified")).toMatchObject({ content: "done" })
  })

  it("gets an error for such a question", async () => {
    const { content } = await call("asked")
    expect(content).toMatch(/^asked: the message nests deeper than 200 levels/)
  })

  it("is down if its list nests like that, and no tool of it is offered", async () => {
    const { tools, down } = await list({ DEEP_LIST: "1" })
    expect(tools).toEqual([])
    expect(JSON.stringify(down)).toContain("nests deeper than 200")
    expect(toolHashes((await list()).tools.map(({ name }) => ({ name, inputSchema: { type: "object" } }))).size).toBe(5)
  })
})

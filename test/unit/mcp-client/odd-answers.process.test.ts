import { readFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import { createMcpServers, type FoundMcpTools, type McpServers } from "../../../mcp-client/mcp-servers.ts"
import { defaultConnectionLimits } from "../../../mcp-client/connection/connection-limits.ts"
import { checkSchema } from "../../../sessions/result/check-schema.ts"
import { toolEnvironment } from "../../../tools/tool-environment.ts"
import { oddServer } from "../../helpers/mcp/odd-server.ts"
import { createWorkspace } from "../tools/workspace.ts"

// One field of an answer used to spoil all of it: a call that had taken effect was reported as failed, and all tools of a server were hidden.

const opened: McpServers[] = []
afterEach(() => Promise.all(opened.splice(0).map((one) => one.close())))

const open = (env: Readonly<Record<string, string>> = {}) => {
  const servers = createMcpServers({
    env: process.env,
    toolEnv: (allow) => toolEnvironment(process.env, allow),
    checkSchema,
    patienceMs: 90_000,
    limits: { ...defaultConnectionLimits, idleMs: 1 },
  })
  opened.push(servers)
  const shared = { envFrom: {}, timeoutMs: 60_000, trustReadOnlyHint: false }
  const config = { command: process.execPath, args: ["-e", oddServer], env, ...shared }
  return (): Promise<FoundMcpTools> =>
    servers.tools({ mcpServers: { s: config }, envAllow: ["PATH", "HOME"] }, ["mcp__s__*"])
}

const call = async (find: () => Promise<FoundMcpTools>, name: string) => {
  const { tools } = await find()
  return tools.find((tool) => tool.name === `mcp__s__${name}`)?.execute({}, createWorkspace().context)
}

describe("a list of tools", () => {
  it("is read tool by tool, and page by page", async () => {
    const found = await open()()
    expect(found.tools.map(({ name }) => name.replace("mcp__s__", ""))).toEqual([
      "text",
      "block",
      "list",
      "annotated",
      "said",
      "nothing",
    ])
    expect(found.unusable).toEqual([
      {
        server: "s",
        tool: "bad",
        message: expect.stringMatching(/^MCP server s lists a tool that cannot be used, bad: inputSchema: /),
      },
      { server: "s", message: "MCP server s lists tools that cannot be used: a page of the list could not be read" },
    ])
  })
})

describe("the result of a call", () => {
  it.each([
    ["text", "pushed abc123\n\n(the tool has an output schema, and returned no structured content)"],
    ["block", 'pushed abc123\n\n{"type":"chart","points":[1,2]}'],
    ["list", "pushed abc123\n\n[1,2]\n\n(the structured content is not an object, as the protocol requires)"],
    ["annotated", "pushed abc123"],
    ["said", "pushed abc123"],
    ["nothing", '{"ok":true}'],
  ])("reaches the model, whatever else is in it: %s", async (name, content) => {
    expect(await call(open(), name)).toEqual({ content })
  })
})

describe("the resources of a server", () => {
  it("can be read where the server has any", async () => {
    const { tools } = await open({ ODD_RESOURCES: "1" })()
    const reader = tools.find(({ name }) => name === "mcp__s__read_resource")
    expect(reader).toMatchObject({ readOnly: false, idempotent: true })
    const { context } = createWorkspace()
    const resource = { type: "resource", uri: "notes://1", mimeType: "text/plain", text: "a note" }
    expect(await reader?.execute({ uri: "notes://1" }, context)).toEqual({ content: JSON.stringify(resource) })
    expect(await reader?.execute({ uri: "notes://2" }, context)).toMatchObject({
      content: expect.stringContaining("returned an error: not found"),
      isError: true,
    })
  })
})

describe("a program", () => {
  it.each([
    ["is started once for a connection", {}, 1],
    ["is started again if it ends when it is asked for a newer version", { ODD_STRICT: "1" }, 2],
  ])("%s", async (_, env, starts) => {
    const log = join(createWorkspace().cwd, "log")
    const find = open({ ...env, ODD_LOG: log })
    const lines = (line: string) =>
      readFileSync(log, "utf8")
        .split("\n")
        .filter((each) => each === line).length
    expect((await find()).down).toEqual([])
    expect(lines("start")).toBe(starts)
    await call(find, "text")
    // The version is known from then on.
    expect(lines("server/discover")).toBe(1)
  })
})

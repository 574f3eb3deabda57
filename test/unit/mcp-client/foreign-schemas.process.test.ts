import { afterEach, describe, expect, it } from "vitest"
import { createMcpServers, type McpServers } from "../../../mcp-client/mcp-servers.ts"
import { createCheckSchema } from "../../../sessions/result/check-schema.ts"
import type { Tool } from "../../../tools/tool.ts"
import { toolEnvironment } from "../../../tools/tool-environment.ts"
import { untilPasses } from "../../helpers/eventually.ts"
import { foreignSchemaServer } from "../../helpers/mcp/foreign-schema-server.ts"
import { createWorkspace } from "../tools/workspace.ts"

// A pattern of a server used to be matched on the event loop, and blocked every run of the worker permanently.

const opened: McpServers[] = []
afterEach(() => Promise.all(opened.splice(0).map((one) => one.close())))

const openTool = async (name: string, timeoutMs = 60_000): Promise<Tool> => {
  const servers = createMcpServers({
    env: process.env,
    toolEnv: (allow) => toolEnvironment(process.env, allow),
    checkSchema: createCheckSchema({ timeoutMs }),
    patienceMs: 90_000,
  })
  opened.push(servers)
  const shared = { env: {}, envFrom: {}, timeoutMs: 60_000, trustReadOnlyHint: false }
  const config = { command: process.execPath, args: ["-e", foreignSchemaServer], ...shared }
  const { tools } = await servers.tools({ mcpServers: { s: config }, envAllow: ["PATH", "HOME"] }, ["mcp__s__*"])
  const tool = tools.find((each) => each.name === `mcp__s__${name}`)
  if (tool === undefined) throw new Error(`no tool ${name}`)
  return tool
}

/** Counts the turns of the event loop until some work is done. */
const turnsDuring = async (work: Promise<unknown>): Promise<number> => {
  let turns = 0
  const counting = setInterval(() => (turns += 1), 1)
  await work.finally(() => clearInterval(counting))
  return turns
}

describe("a schema of a server", () => {
  it("does not stop the event loop with a pattern for arguments, which then count as not checked", async () => {
    const { inputProblem } = await openTool("input", 2_000)
    const problem = inputProblem?.({ text: `${"a".repeat(60)}!` })
    expect(await turnsDuring(Promise.resolve(problem))).toBeGreaterThan(20)
    expect(await problem).toBeUndefined()
    await untilPasses(async () => expect(await inputProblem?.({ text: "b" })).toContain("must match pattern"))
  })

  it("does not stop the event loop with a pattern for results, which are delivered with a remark", async () => {
    const tool = await openTool("output", 2_000)
    const result = tool.execute({}, createWorkspace().context)
    expect(await turnsDuring(result)).toBeGreaterThan(20)
    expect(await result).toEqual({
      content: expect.stringMatching(
        /^pushed abc123\n\n\{"text":.*\n\n\(the structured content was not checked.*2000 ms/,
      ),
    })
  })

  it.each([
    ["number", /^pushed abc123\n\n\{"text":.*\n\n\(the structured content does not match .*\/text must be number\)$/],
    ["foreign", /^pushed abc123\n\n\{"text":.*\n\n\(the structured content was not checked .*schema/],
  ])("replaces no result that it refuses: %s", async (name, content) => {
    const tool = await openTool(name)
    expect(await tool.execute({}, createWorkspace().context)).toEqual({ content: expect.stringMatching(content) })
  })

  it("says nothing about the result of a failed call", async () => {
    const tool = await openTool("failed")
    expect(await tool.execute({}, createWorkspace().context)).toEqual({
      content: expect.stringMatching(/^pushed abc123\n\n\{"text":"a+!"\}$/),
      isError: true,
    })
  })
})

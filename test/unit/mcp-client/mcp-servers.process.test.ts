import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterEach, describe, expect, it } from "vitest"
import type { McpServerConfig } from "../../../contracts/config/config-services.ts"
import { checkSchema } from "../../../sessions/result/check-schema.ts"
import { createMcpServers, type McpRun, type McpServers } from "../../../mcp-client/mcp-servers.ts"
import { defaultConnectionLimits } from "../../../mcp-client/connection/connection-limits.ts"
import type { Tool, ToolContext, ToolProgress, ToolResult } from "../../../tools/tool.ts"
import { toolEnvironment } from "../../../tools/tool-environment.ts"
import { startHttpServer } from "../../helpers/mcp/http-server.ts"
import { createPdf, createPng } from "../../helpers/media-files.ts"
import { isDeep } from "../../helpers/effort.ts"
import { createWorkspace } from "../tools/workspace.ts"
import { untilPasses } from "../../helpers/eventually.ts"

const program = fileURLToPath(new URL("../../helpers/mcp/stdio-server.ts", import.meta.url))
const opened: { close(): Promise<unknown> }[] = []
afterEach(() => Promise.all(opened.splice(0).map((one) => one.close())))

const stdio = (extra: Partial<Extract<McpServerConfig, { command: string }>> = {}): McpServerConfig => ({
  command: process.execPath,
  args: [program],
  env: {},
  envFrom: {},
  timeoutMs: 20_000,
  trustReadOnlyHint: false,
  ...extra,
})

const runOf = (mcpServers: Record<string, McpServerConfig>): McpRun => ({ mcpServers, envAllow: ["PATH", "HOME"] })

const open = (
  limits: Partial<typeof defaultConnectionLimits> = {},
  env: Record<string, string> = {},
  patienceMs = 90_000,
): McpServers => {
  const whole = { PATH: process.env["PATH"] ?? "", MY_SECRET: "s3cret", UNRELATED: "unrelated", ...env }
  const servers = createMcpServers({
    checkSchema,
    env: whole,
    toolEnv: (allow) => toolEnvironment(whole, allow),
    // On a busy machine, the program starts slowly.
    limits: { ...defaultConnectionLimits, connectTimeoutMs: 90_000, ...limits },
    patienceMs,
  })
  opened.push(servers)
  return servers
}

const everyTool = ["mcp__test__*"]
const named = (tools: readonly Tool[], name: string): Tool => {
  const tool = tools.find((candidate) => candidate.name === `mcp__test__${name}`)
  if (tool === undefined) throw new Error(`no tool ${name} among ${tools.map((one) => one.name).join()}`)
  return tool
}

const callTool = async (
  servers: McpServers,
  run: McpRun,
  call: { readonly name: string; readonly args?: unknown; readonly context?: Partial<ToolContext> },
): Promise<ToolResult> => {
  const { tools } = await servers.tools(run, everyTool)
  return named(tools, call.name).execute(call.args ?? {}, { ...createWorkspace().context, ...call.context })
}

describe("tools of a server", () => {
  it("keep the server's own schema, and the claims of its annotations", async () => {
    const { tools, down } = await open().tools(runOf({ test: stdio({ trustReadOnlyHint: true }) }), everyTool)
    expect(down).toEqual([])
    const echo = named(tools, "echo")
    expect(echo).toMatchObject({ description: "Says it back", readOnly: true, idempotent: true })
    expect(echo.inputJsonSchema).toMatchObject({ properties: { text: { type: "string" } }, required: ["text"] })
    expect(named(tools, "note")).toMatchObject({ readOnly: false, idempotent: false })
    expect(named(tools, "set")).toMatchObject({ readOnly: false, idempotent: true })
  })

  it("count as tools that change something, whatever the server says, unless it is trusted with that", async () => {
    const { tools } = await open().tools(runOf({ test: stdio() }), everyTool)
    expect(tools.filter(({ readOnly }) => readOnly)).toEqual([])
  })

  it("accept arguments that fit that schema, and say why others do not", async () => {
    const { tools } = await open().tools(runOf({ test: stdio() }), everyTool)
    const echo = named(tools, "echo")
    expect(await echo.inputProblem?.({ text: "a", times: 2 })).toBeUndefined()
    expect(await echo.inputProblem?.({ text: 5 })).toMatch(/text.*string/)
    expect(await echo.inputProblem?.({})).toMatch(/text/)
    expect(await echo.inputProblem?.({ text: "a", times: 0 })).toMatch(/times/)
  })

  it("are only those that the list covers; other servers are not started", async () => {
    const log = join(createWorkspace().cwd, "log")
    const run = runOf({ test: stdio(), other: stdio({ command: "/nowhere/to/be/found" }) })
    const found = await open().tools(run, ["Read", "mcp__test__echo"])
    expect(found.tools.map(({ name }) => name)).toEqual(["mcp__test__echo"])
    expect(found.down).toEqual([])
    expect(existsSync(log)).toBe(false)
  })
})

describe("a call", () => {
  it("returns text unchanged and everything else as JSON, with binary content in files", async () => {
    const workspace = createWorkspace()
    const result = await callTool(open(), runOf({ test: stdio() }), { name: "everything", context: workspace.context })
    const [text, ...rest] = result.content.split("\n\n")
    const blocks = rest.map((line) => JSON.parse(line))
    expect(text).toBe("a text")
    expect(blocks).toMatchObject([
      { type: "image", mimeType: "image/png", bytes: 20, file: expect.stringMatching(/\.png$/) },
      { type: "audio", mimeType: "audio/wav", bytes: 20, file: expect.stringMatching(/\.wav$/) },
      { type: "resource", uri: "test://text", text: "in a resource" },
      { type: "resource", uri: "test://blob", bytes: 20, file: expect.stringMatching(/\.pdf$/) },
      { type: "resource_link", uri: "test://link", name: "a link" },
      { answer: 42 },
    ])
    expect(readFileSync(blocks[0].file, "utf8")).toBe("not really a picture")
    expect(blocks[0].file.startsWith(workspace.context.spillDir)).toBe(true)
  })

  it("returns images and PDF files besides, by their bytes, and what only is called an image, but no SVG", async () => {
    const result = await callTool(open(), runOf({ test: stdio() }), { name: "picture" })
    expect(result.media?.map(({ name, bytes }) => [name, bytes.length])).toEqual([
      [undefined, createPng(8, 6).length],
      ["test://paper", createPdf(2).length],
      [undefined, 20],
    ])
    expect(result.content).toMatch(/"mimeType":"image\/svg\+xml","bytes":6,"file":".*\.svg"/)
    expect(result.content).not.toContain("iVBOR")
  })

  it("does not repeat what a server returns both as text and as structure", async () => {
    const result = await callTool(open(), runOf({ test: stdio() }), { name: "structured" })
    expect(result.content).toBe('{ "answer": 42 }')
  })

  it("that fails is an error with the tool's message", async () => {
    expect(await callTool(open(), runOf({ test: stdio() }), { name: "fail" })).toEqual({
      content: "it did not work",
      isError: true,
    })
  })

  it("passes progress on", async () => {
    const seen: ToolProgress[] = []
    const until = join(createWorkspace().cwd, "seen")
    const progress = (update: ToolProgress): void => {
      seen.push(update)
      writeFileSync(until, "")
    }
    const args = { steps: 3, until }
    await callTool(open(), runOf({ test: stdio() }), { name: "slow", args, context: { progress } })
    expect(seen[0]).toEqual({ progress: 1, total: 3, message: "step 1" })
  })

  it("ends at its time limit, and the server is told", async () => {
    const log = join(createWorkspace().cwd, "log")
    const run = runOf({ test: stdio({ timeoutMs: 300, env: { TEST_LOG: log } }) })
    expect(await callTool(open(), run, { name: "hang" })).toMatchObject({
      isError: true,
      content: expect.stringContaining("300 ms"),
    })
    await untilPasses(() => expect(readFileSync(log, "utf8")).toContain("hang stopped"))
  })

  it("is cancelled by its signal", async () => {
    const log = join(createWorkspace().cwd, "log")
    const abort = new AbortController()
    const run = runOf({ test: stdio({ env: { TEST_LOG: log } }) })
    const ended = callTool(open(), run, { name: "hang", context: { signal: abort.signal } }).catch(
      (error: unknown) => error,
    )
    try {
      await untilPasses(() => expect(readFileSync(log, "utf8")).toContain("hang"))
    } finally {
      abort.abort(new Error("enough"))
      expect(await ended).toMatchObject({ message: expect.stringContaining("enough") })
    }
  })
})

describe("a program's environment", () => {
  it("is the allow list, its own values and the variables that it names", async () => {
    const run = runOf({ test: stdio({ env: { OWN: "own" }, envFrom: { TOKEN: "MY_SECRET" } }) })
    const result = await callTool(open(), run, { name: "environment" })
    const environment = JSON.parse(result.content)
    expect(environment).toMatchObject({ OWN: "own", TOKEN: "s3cret", PATH: process.env["PATH"] })
    // By which `adjutant mcp` knows that its client is an agent.
    expect(environment).toMatchObject({ ADJUTANT_IN_RUN: "1" })
    expect(environment).not.toHaveProperty("UNRELATED")
    expect(environment).not.toHaveProperty("MY_SECRET")
  })

  it("that lacks a named variable keeps the server from starting, and names the variable", async () => {
    const { down } = await open().tools(runOf({ test: stdio({ envFrom: { TOKEN: "NOT_SET" } }) }), everyTool)
    expect(down).toMatchObject([{ server: "test", problem: expect.stringContaining("NOT_SET") }])
  })
})

describe("a connection", () => {
  const starts = (log: string): number => readFileSync(log, "utf8").split("\n").filter(Boolean).length

  it("is shared by all users", async () => {
    const servers = open()
    const run = runOf({ test: stdio() })
    const pids = await Promise.all(
      ["a", "b", "c"].map(async (text) => callTool(servers, run, { name: "echo", args: { text } })),
    )
    expect(pids.map(({ content }) => content)).toEqual(["a", "b", "c"])
    const environments = await Promise.all([1, 2].map(() => callTool(servers, run, { name: "environment" })))
    expect(new Set(environments.map(({ content }) => content)).size).toBe(1)
  })

  it("is another one for a run that gives its programs other variables", async () => {
    const servers = open()
    const run = runOf({ test: stdio() })
    const [narrow, wide] = await Promise.all(
      [run, { ...run, envAllow: [...run.envAllow, "UNRELATED"] }].map(async (each) =>
        callTool(servers, each, { name: "environment" }),
      ),
    )
    expect(narrow?.content).not.toContain("UNRELATED")
    expect(wide?.content).toContain("UNRELATED")
  })

  it("closes when nobody uses it, and opens again", async () => {
    const log = join(createWorkspace().cwd, "log")
    const servers = open({ idleMs: 50 })
    const run = runOf({ test: stdio({ env: { TEST_CLOSED_LOG: log } }) })
    const { tools } = await servers.tools(run, everyTool)
    const echo = named(tools, "echo")
    const context = createWorkspace().context
    expect(await echo.execute({ text: "1" }, context)).toEqual({ content: "1" })
    await untilPasses(() => expect(readFileSync(log, "utf8")).toBe("closed\n"))
    expect(await echo.execute({ text: "2" }, context)).toEqual({ content: "2" })
  })

  it("that breaks during a call is an error of that call, and the next call starts the server again", async () => {
    const log = join(createWorkspace().cwd, "log")
    const servers = open()
    const run = runOf({ test: stdio({ env: { TEST_LOG: log } }) })
    expect(await callTool(servers, run, { name: "crash" })).toMatchObject({
      isError: true,
      content: expect.stringContaining("it is unknown whether"),
    })
    expect(await callTool(servers, run, { name: "echo", args: { text: "again" } })).toEqual({ content: "again" })
    expect(starts(log)).toBe(2)
  })

  it("that fails gives the reason with the program's output, and is not retried at once without end", async () => {
    const servers = open({ backOffMs: 60_000 })
    const run = runOf({ test: stdio({ env: { TEST_FAIL: "1" } }) })
    const problems = []
    for (let index = 0; index < 3; index += 1) problems.push((await servers.tools(run, everyTool)).down[0]?.problem)
    expect(problems[0]).toMatch(/cannot be reached.*I refuse to start/s)
    expect(problems[2]).toMatch(/the next attempt is in \d+ s/)
  })

  it("that is slow does not delay others", async () => {
    const silent = stdio({ args: ["-e", "setInterval(() => {}, 1000)"] })
    const run = runOf({ test: stdio(), silent })
    const servers = open({ connectTimeoutMs: 60_000 }, {}, 200)
    await untilPasses(async () => {
      const { tools } = await servers.tools(runOf({ test: stdio() }), ["*"])
      expect(tools).not.toEqual([])
    })
    const found = await servers.tools(run, ["*"])
    expect(found.tools.map(({ name }) => name)).toContain("mcp__test__echo")
    expect(found.down).toMatchObject([{ server: "silent", problem: expect.stringContaining("still starting") }])
  })

  it("notices a changed list of tools", async () => {
    const servers = open()
    const run = runOf({ test: stdio() })
    await callTool(servers, run, { name: "grow" })
    await untilPasses(async () => {
      const { tools } = await servers.tools(run, everyTool)
      expect(tools.map(({ name }) => name)).toContain("mcp__test__grown")
    })
    expect(await callTool(servers, run, { name: "grown" })).toEqual({ content: "I am new" })
  })
})

describe("a server behind a URL", () => {
  it("is used like a program, with headers from the environment", async () => {
    const http = await startHttpServer()
    opened.push(http)
    const config = {
      url: http.url,
      headers: {},
      headersEnv: { Authorization: "MY_SECRET" },
      timeoutMs: 20_000,
      trustReadOnlyHint: false,
    }
    expect(await callTool(open(), runOf({ test: config }), { name: "echo", args: { text: "hello" } })).toEqual({
      content: "hello",
    })
    expect(new Set(http.authorizations)).toEqual(new Set(["s3cret"]))
    expect(new Set(http.inRun)).toEqual(new Set(["1"]))
  })

  it("that does not answer is an error with advice for the model", async () => {
    const http = await startHttpServer()
    const config = { url: http.url, headers: {}, headersEnv: {}, timeoutMs: 5_000, trustReadOnlyHint: false }
    const servers = open()
    const { tools } = await servers.tools(runOf({ test: config }), everyTool)
    await http.close()
    const result = await named(tools, "echo").execute({ text: "x" }, createWorkspace().context)
    expect(result).toMatchObject({ isError: true, content: expect.stringContaining("MCP server test") })
    expect((await servers.tools(runOf({ test: config }), everyTool)).tools).toHaveLength(tools.length)
  })
})

describe.each(isDeep ? ["modern", "legacy"] : ["modern"])("a question of a server of the %s protocol", (era) => {
  const ask = async () => {
    const log = join(createWorkspace().cwd, "log")
    const servers = open()
    const run = runOf({ test: stdio({ env: { TEST_LOG: log, TEST_ERA: era } }) })
    const args = { place: "production" }
    const first = await callTool(servers, run, { name: "deploy", args })
    const answer = (text: string, state: string) =>
      callTool(servers, run, { name: "deploy", args, context: { answered: { text, state } } })
    return { log, first, answer }
  }

  it("returns with a state, and the call continues with the answer", async () => {
    const { first, answer, log } = await ask()
    expect(first.question?.message).toMatch(/MCP server test asks: Deploy to production\?\n- sure \(boolean\)/)
    expect(readFileSync(log, "utf8")).not.toContain("deployed")
    const result = await answer("yes", first.question?.state ?? "")
    expect(result).toEqual({ content: "deployed to production" })
    expect(readFileSync(log, "utf8").match(/deployed/g)).toHaveLength(1)
  })

  it("is asked again if the answer does not fit, and can be declined", async () => {
    const { first, answer } = await ask()
    const again = await answer("perhaps", first.question?.state ?? "")
    expect(again.question?.message).toMatch(/^The answer was not accepted: sure must be boolean/)
    expect(await answer("decline", again.question?.state ?? "")).toEqual({ content: "not deployed" })
  })
})

// A program that the conformance suite starts as a client: it lists the tools of the server at the address that it gets and calls each of them, with
// what Adjutant itself uses for MCP servers.
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { parseArgs } from "node:util"
import { z } from "zod"
import { createMcpServers } from "../../../../mcp-client/mcp-servers.ts"
import { checkSchema } from "../../../../sessions/result/check-schema.ts"
import { createUnconfined } from "../../../../tools/sandbox/unconfined.ts"
import type { Tool, ToolContext } from "../../../../tools/tool.ts"

/** What a scenario may tell the client. */
const contextSchema = z.looseObject({
  toolCalls: z.array(z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()) })).optional(),
})

const server = "suite"
const nameOf = (tool: string): string => `mcp__${server}__${tool}`

const record = z.record(z.string(), z.unknown())

/** Returns a value for each argument of a tool, by its type. A tool that takes a schema gets that of another one, as it arrived. */
const argumentsFor = ({ inputJsonSchema }: Tool, others: readonly Tool[]): Readonly<Record<string, unknown>> => {
  const properties = record.catch({}).parse(record.catch({}).parse(inputJsonSchema)["properties"])
  const values: Readonly<Record<string, unknown>> = { number: 3, integer: 3, boolean: true, array: [], object: {} }
  const valueOf = (key: string, schema: unknown): unknown =>
    key === "schema" ? others[0]?.inputJsonSchema : (values[String(record.catch({}).parse(schema)["type"])] ?? "text")
  return Object.fromEntries(Object.entries(properties).map(([key, schema]) => [key, valueOf(key, schema)]))
}

const { positionals } = parseArgs({ allowPositionals: true })
const url = positionals.at(-1) ?? ""
const { toolCalls } = contextSchema.parse(JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] || "{}"))
const servers = createMcpServers({ env: process.env, toolEnv: () => ({}), checkSchema })
const cwd = await mkdtemp(path.join(tmpdir(), "adjutant-probe-"))
const context: ToolContext = {
  sessionId: "probe",
  cwd,
  spillDir: cwd,
  env: {},
  sandbox: createUnconfined("a test", { graceMs: 200, maxOutputFileBytes: 1_000_000, backgroundStartMs: 100 }),
  signal: new AbortController().signal,
  todos: { read: async () => [], write: async () => undefined },
}
try {
  const run = {
    mcpServers: { [server]: { url, headers: {}, headersEnv: {}, timeoutMs: 10_000, trustReadOnlyHint: false } },
    envAllow: [],
  }
  const { tools, down } = await servers.tools(run, [nameOf("*")])
  for (const { problem } of down) process.stderr.write(`${problem}\n`)
  const calls =
    toolCalls ??
    tools.map((tool) => ({
      name: tool.name,
      arguments: argumentsFor(
        tool,
        tools.filter((each) => each !== tool),
      ),
    }))
  for (const { name, arguments: args } of calls) {
    const tool = tools.find((each) => each.name === name || each.name === nameOf(name))
    let result = await tool?.execute(args, context)
    // A person accepts each form as it is.
    for (let asked = 0; result?.question !== undefined && asked < 5; asked += 1)
      result = await tool?.execute(args, {
        ...context,
        answered: { state: result.question.state, text: "{}" },
      })
    process.stdout.write(`${name}: ${result?.content ?? "no such tool"}\n`)
  }
  if (down.length > 0) process.exitCode = 1
} finally {
  await servers.close()
  await rm(cwd, { recursive: true, force: true })
}

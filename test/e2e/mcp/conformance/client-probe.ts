// A program that the conformance suite starts as a client: it lists the tools of the server at the address that it gets and calls each of them, with
// what Adjutant itself uses for MCP servers.
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { parseArgs } from "node:util"
import { z } from "zod"
import { type McpHttpServer, mcpServerSchema } from "../../../../contracts/config/config-services.ts"
import type { mcpOauthSchema } from "../../../../contracts/config/mcp-oauth.ts"
import { logIn } from "../../../../mcp-client/oauth/log-in.ts"
import { createLogins } from "../../../../mcp-client/oauth/logins.ts"
import { createMcpServers } from "../../../../mcp-client/mcp-servers.ts"
import { freePort } from "../../../../server/exposure/choose-ports.ts"
import { checkSchema } from "../../../../sessions/result/check-schema.ts"
import { createUnconfined } from "../../../../tools/sandbox/unconfined.ts"
import type { Tool, ToolContext } from "../../../../tools/tool.ts"

/** What a scenario may tell the client. */
const contextSchema = z.looseObject({
  toolCalls: z.array(z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()) })).optional(),
  client_id: z.string().optional(),
  client_secret: z.string().optional(),
  issuer: z.string().optional(),
  private_key_pem: z.string().optional(),
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

const httpServerSchema = mcpServerSchema.options[1]

const { positionals } = parseArgs({ allowPositionals: true })
const url = positionals.at(-1) ?? ""
const { toolCalls, client_id, client_secret, issuer, private_key_pem } = contextSchema.parse(
  JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] || "{}"),
)
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
const logins = createLogins(path.join(cwd, "logins"), () => undefined)
const env = { ...process.env, PROBE_SECRET: client_secret, PROBE_KEY: private_key_pem }
const servers = createMcpServers({ env, toolEnv: () => ({}), checkSchema, logins })

/** Returns the authorization server that the suite's server names, which a person would have written into the configuration. */
const issuerOf = async (): Promise<string> => {
  const { origin, pathname } = new URL(url)
  const response = await fetch(`${origin}/.well-known/oauth-protected-resource${pathname}`)
  return (
    z.object({ authorization_servers: z.array(z.string()).min(1) }).parse(await response.json())
      .authorization_servers[0] ?? ""
  )
}

const credentials = async (): Promise<z.input<typeof mcpOauthSchema>> => {
  if (client_id === undefined) return { clientMetadataUrl: "https://conformance-test.local/client-metadata.json" }
  if (issuer !== undefined) return { clientId: client_id, clientSecretEnv: "PROBE_SECRET", issuer }
  const secret = private_key_pem === undefined ? { clientSecretEnv: "PROBE_SECRET" } : { privateKeyEnv: "PROBE_KEY" }
  return { grant: "client_credentials", clientId: client_id, issuer: await issuerOf(), ...secret }
}

/** Logs in as a person whom a text advises to. Returns whether it did. */
const logInAsAdvised = async (config: McpHttpServer, text: string): Promise<boolean> => {
  const [, scope] = /mcp-login suite(?: --scope '([^']+)')?/.exec(text) ?? []
  if (!text.includes("mcp-login suite")) return false
  await logIn({
    server,
    config,
    env,
    logins,
    scope,
    // The browser of the person, who agrees.
    show: async (address) => void (await fetch(address)),
    signal: AbortSignal.timeout(20_000),
  }).catch((error: unknown) => {
    // The server refuses tokens that are new: the person follows the next advice.
    if (!String(error).includes("the tokens are stored")) throw error
  })
  return true
}

const maxLogins = 3

try {
  const needsOauth = process.env["MCP_CONFORMANCE_SCENARIO"]?.startsWith("auth/") === true
  const config = httpServerSchema.parse({
    url,
    timeoutMs: 10_000,
    ...(needsOauth ? { oauth: { ...(await credentials()), callbackPort: await freePort(new Set()) } } : {}),
  })
  const run = { mcpServers: { [server]: config }, envAllow: [] }
  const find = async () => await servers.tools(run, [nameOf("*")])
  let found = await find()
  for (let count = 0; count < maxLogins; count += 1) {
    const [problem] = found.down.map((each) => each.problem)
    if (problem === undefined || !(await logInAsAdvised(config, problem))) break
    found = await find()
  }
  const { tools, down } = found
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
    for (let count = 0; count < maxLogins && result?.isError === true; count += 1) {
      if (!(await logInAsAdvised(config, result.content))) break
      result = await tool?.execute(args, context)
    }
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

import { generateKeyPairSync } from "node:crypto"
import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { z } from "zod"
import { mcpServerSchema } from "../../../contracts/config/config-services.ts"
import { createMcpServers, type McpServers } from "../../../mcp-client/mcp-servers.ts"
import { logIn } from "../../../mcp-client/oauth/log-in.ts"
import { createLogins, type Logins } from "../../../mcp-client/oauth/logins.ts"
import { freePort } from "../../../server/exposure/choose-ports.ts"
import { checkSchema } from "../../../sessions/result/check-schema.ts"
import { createWorkspace } from "../tools/workspace.ts"
import { type OauthServer, startOauthServer } from "../../helpers/mcp/oauth-server.ts"

const httpServerSchema = mcpServerSchema.options[1]
type Settings = Omit<z.input<typeof httpServerSchema>, "url">

let remote: OauthServer
let folder: string
let logins: Logins
let secrets: string[]
let servers: McpServers[]

beforeEach(async () => {
  remote = await startOauthServer()
  folder = path.join(await mkdtemp(path.join(tmpdir(), "adjutant-oauth-")), "logins")
  secrets = []
  servers = []
  logins = createLogins(folder, (value) => secrets.push(value))
})
afterEach(async () => {
  await Promise.all(servers.map((each) => each.close()))
  await remote.close()
  await rm(path.dirname(folder), { recursive: true, force: true })
})

const configOf = (settings: Settings = {}) => httpServerSchema.parse({ url: remote.url, ...settings })

/** Returns the tools of the server as one worker sees them, and why there are none. */
const look = async (settings: Settings = {}, env: Readonly<Record<string, string>> = {}, worker?: McpServers) => {
  const used = worker ?? createMcpServers({ env, toolEnv: () => ({}), checkSchema, logins })
  servers.push(used)
  const { tools, down } = await used.tools({ mcpServers: { web: configOf(settings) }, envAllow: [] }, ["mcp__web__*"])
  return { names: tools.map(({ name }) => name), problem: down[0]?.problem, worker: used }
}

/** Logs in as a person whose browser agrees. */
const logInWith = async (settings: Settings = {}, scope?: string, env: Readonly<Record<string, string>> = {}) =>
  await logIn({
    server: "web",
    config: configOf({ ...settings, oauth: { ...settings.oauth, callbackPort: await freePort(new Set()) } }),
    env,
    logins,
    scope,
    show: async (address) => void (await fetch(address)),
    signal: new AbortController().signal,
  })

describe("access to MCP servers by OAuth", () => {
  it("names the command with which a person logs in, and lists the tools after it, without another connection", async () => {
    const before = await look()
    expect(before).toMatchObject({
      names: [],
      problem: 'MCP server web requires a login: run "adjutant mcp-login web"',
    })
    expect(await logInWith()).toBeGreaterThan(0)
    expect((await look({}, {}, before.worker)).names).toContain("mcp__web__echo")
  })

  it("stores the tokens in a file that only this user can read, and has them redacted", async () => {
    await logInWith()
    const [name = ""] = await readdir(folder)
    expect((await stat(folder)).mode & 0o777).toBe(0o700)
    expect((await stat(path.join(folder, name))).mode & 0o777).toBe(0o600)
    const stored = await readFile(path.join(folder, name), "utf8")
    const tokens = stored.match(/(?:access|refresh)-[\w-]+/g) ?? []
    expect(tokens).toHaveLength(2)
    expect(secrets).toEqual(expect.arrayContaining(tokens))
  })

  it("renews an expired token once for all requests that were refused, although a refresh token counts once", async () => {
    await logInWith()
    const { worker } = await look()
    remote.expire()
    const before = remote.asked.filter(({ path: asked }) => asked === "/token").length
    const { tools } = await worker.tools({ mcpServers: { web: configOf() }, envAllow: [] }, ["mcp__web__*"])
    const echo = tools.find(({ name }) => name === "mcp__web__echo")
    const call = () => echo?.execute({ text: "hi" }, createWorkspace().context)
    const results = await Promise.all([call(), call(), call()])
    expect(results.map((result) => result?.isError)).toEqual([undefined, undefined, undefined])
    expect(remote.asked.filter(({ path: asked }) => asked === "/token")).toHaveLength(before + 1)
  })

  it("advises another login if the tokens cannot be renewed", async () => {
    await logInWith()
    const login = await logins.read(remote.url)
    if (login === undefined) throw new Error("there is no login")
    await logins.write({ ...login, tokens: { ...login.tokens, access_token: "old", refresh_token: "old" } })
    expect((await look()).problem).toMatch(/^MCP server web requires another login.*: run "adjutant mcp-login web"$/)
  })

  it("names the scope that a server requires in addition, and gets it with a login that keeps the earlier ones", async () => {
    await logInWith({ oauth: { scope: "read" } }, "read")
    remote.requireScope("write")
    expect((await look()).problem).toContain(`run "adjutant mcp-login web --scope 'write'"`)
    await logInWith({ oauth: { scope: "read" } }, "write")
    expect((await look()).names).toContain("mcp__web__echo")
    expect((await logins.read(remote.url))?.tokens.scope).toBe("read write")
  })

  it("sends the headers of the server to no authorization server", async () => {
    const settings = { headers: { "x-team": "a" }, headersEnv: { "x-key": "KEY" } }
    await logInWith(settings, undefined, { KEY: "secret-of-the-server" })
    remote.expire()
    await look(settings, { KEY: "secret-of-the-server" })
    expect(remote.asked.map(({ path: asked }) => asked)).toContain("/token")
    for (const { headers } of remote.asked) {
      expect(headers).not.toHaveProperty("x-key")
      expect(headers).not.toHaveProperty("x-team")
    }
  })

  it.each(["a secret", "a private key"])("needs no person for a client with %s", async (kind) => {
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
    const env = { SECRET: "client-secret", KEY: privateKey.export({ type: "pkcs8", format: "pem" }).toString() }
    const own = kind === "a secret" ? { clientSecretEnv: "SECRET" } : { privateKeyEnv: "KEY" }
    const oauth = { grant: "client_credentials", clientId: "robot", issuer: remote.issuer, ...own } as const
    expect((await look({ oauth }, env)).names).toContain("mcp__web__echo")
  })

  it("gives the secret of a client to the configured authorization server only", async () => {
    const oauth = {
      grant: "client_credentials",
      clientId: "robot",
      issuer: "https://login.example.com",
      clientSecretEnv: "SECRET",
    } as const
    const { problem } = await look({ oauth }, { SECRET: "client-secret" })
    expect(problem).toContain("MCP server web gives no access to this client (mcpServers.web.oauth)")
    expect(JSON.stringify(remote.asked)).not.toContain(Buffer.from("robot:client-secret").toString("base64"))
    expect(remote.asked.map(({ path: asked }) => asked)).not.toContain("/token")
  })
})

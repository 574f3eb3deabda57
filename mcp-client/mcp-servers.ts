import { createHash } from "node:crypto"
import { setTimeout as delay } from "node:timers/promises"
import type { RunSnapshot } from "../contracts/run-snapshot.ts"
import { mcpServerOf, toolListCovers } from "../domain/tools/tool-names.ts"
import { errorMessage } from "../domain/text/error-message.ts"
import type { Tool } from "../tools/tool.ts"
import { type ConnectionLimits, defaultConnectionLimits } from "./connection-limits.ts"
import type { McpServerSettings } from "./create-transport.ts"
import type { ServerConnection } from "./server-connection.ts"

/** Which servers a run knows. */
export type McpRun = Pick<RunSnapshot, "mcpServers" | "envAllow">

export interface FoundMcpTools {
  readonly tools: readonly Tool[]
  /** Servers that do not answer now, each with a sentence that says why; what they last offered is among `tools`. */
  readonly down: readonly { readonly server: string; readonly problem: string }[]
}

/** The MCP servers of this worker, each connected once whoever uses it. */
export interface McpServers {
  /** Tools that a list of names covers (`mcp__docs__search`, `mcp__docs__*`); servers that it does not name are left alone. Never rejects. */
  tools(run: McpRun, names: readonly string[]): Promise<FoundMcpTools>
  /** Ends every connection and the programs behind them. */
  close(): Promise<void>
}

export interface McpServersOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly toolEnv: (allow: readonly string[]) => Readonly<Record<string, string>>
  readonly limits?: ConnectionLimits
  /** How long somebody who asks for tools waits for a server that is only being started; default 15 s. */
  readonly patienceMs?: number
}

const defaultPatienceMs = 15_000

/** Loads the protocol's SDK at the first use of a server: most runs have none, and its load is a good part of a worker's start. */
const loadProtocol = async () => {
  const [{ createServerConnection }, { createMcpTool }] = await Promise.all([
    import("./server-connection.ts"),
    import("./mcp-tool.ts"),
  ])
  return { createServerConnection, createMcpTool }
}

type Protocol = Awaited<ReturnType<typeof loadProtocol>>

export const createMcpServers = (options: McpServersOptions): McpServers => {
  const { env, toolEnv, limits = defaultConnectionLimits, patienceMs = defaultPatienceMs } = options
  const connections = new Map<string, ServerConnection>()
  const adapted = new WeakMap<object, Tool>()

  const connectionOf = (protocol: Protocol, name: string, run: McpRun): ServerConnection => {
    const config = run.mcpServers[name]
    if (config === undefined) throw new Error(`no MCP server ${name}`)
    const allow = "url" in config ? [] : run.envAllow
    const key = createHash("sha256")
      .update(JSON.stringify([name, config, allow]))
      .digest("hex")
    const known = connections.get(key)
    if (known !== undefined) return known
    const settings: McpServerSettings = { name, config, env, allowedEnv: toolEnv(allow) }
    const connection = protocol.createServerConnection(settings, limits)
    connections.set(key, connection)
    return connection
  }

  const toolsOf = async (server: string, run: McpRun, names: readonly string[]): Promise<FoundMcpTools> => {
    const protocol = await loadProtocol()
    const connection = connectionOf(protocol, server, run)
    const timeoutMs = run.mcpServers[server]?.timeoutMs ?? limits.connectTimeoutMs
    const impatience = new AbortController()
    const listing = connection.tools()
    listing.catch(() => undefined)
    let problem: string | undefined
    const found = await Promise.race([
      listing,
      delay(patienceMs, undefined, { signal: impatience.signal, ref: false }).then(() => {
        problem = `MCP server ${server} is still being started`
        return connection.lastTools() ?? []
      }),
    ]).catch((error: unknown) => {
      problem = errorMessage(error)
      return connection.lastTools() ?? []
    })
    impatience.abort()
    const tools = found.map((tool) => {
      const known = adapted.get(tool) ?? protocol.createMcpTool({ server, connection, timeoutMs }, tool)
      adapted.set(tool, known)
      return known
    })
    return {
      tools: tools.filter((tool) => toolListCovers(names, tool.name)),
      down: problem === undefined ? [] : [{ server, problem }],
    }
  }

  return {
    async tools(run, names) {
      const servers = Object.keys(run.mcpServers).filter((server) =>
        names.some((name) => name === "*" || mcpServerOf(name) === server),
      )
      const found = await Promise.all(servers.map((server) => toolsOf(server, run, names)))
      return { tools: found.flatMap(({ tools }) => tools), down: found.flatMap(({ down }) => down) }
    },
    async close() {
      await Promise.all([...connections.values()].map((connection) => connection.close()))
      connections.clear()
    },
  }
}

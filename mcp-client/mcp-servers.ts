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

/** What a server is asked for its tools with. */
interface ToolListing {
  readonly server: string
  readonly connection: ServerConnection
  readonly patienceMs: number
}

/** Lists a server's tools; where it fails, or is not ready in time, those that it had last, and why. */
const listTools = async ({ server, connection, patienceMs }: ToolListing) => {
  const listed = new AbortController()
  const lastTools = (problem: string) => ({ tools: connection.lastTools() ?? [], problem })
  try {
    return await Promise.race([
      connection.tools().then((tools) => ({ tools, problem: undefined })),
      delay(patienceMs, undefined, { signal: listed.signal, ref: false }).then(() =>
        lastTools(`MCP server ${server} is still being started`),
      ),
    ])
  } catch (error) {
    return lastTools(errorMessage(error))
  } finally {
    listed.abort()
  }
}

/** The connections of this worker: one for each server and environment that runs give it. */
const createConnections = ({ env, toolEnv, limits }: McpServersOptions) => {
  const connections = new Map<string, ServerConnection>()
  return {
    get(protocol: Protocol, name: string, run: McpRun): ServerConnection {
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
    },
    async close(): Promise<void> {
      await Promise.all([...connections.values()].map((connection) => connection.close()))
      connections.clear()
    },
  }
}

export const createMcpServers = (options: McpServersOptions): McpServers => {
  const { limits = defaultConnectionLimits, patienceMs = defaultPatienceMs } = options
  const connections = createConnections(options)
  const adapted = new WeakMap<object, Tool>()

  const toolsOf = async (server: string, run: McpRun, names: readonly string[]): Promise<FoundMcpTools> => {
    const protocol = await loadProtocol()
    const connection = connections.get(protocol, server, run)
    const timeoutMs = run.mcpServers[server]?.timeoutMs ?? limits.connectTimeoutMs
    const listed = await listTools({ server, connection, patienceMs })
    const tools = listed.tools.map((tool) => {
      const known = adapted.get(tool) ?? protocol.createMcpTool({ server, connection, timeoutMs }, tool)
      adapted.set(tool, known)
      return known
    })
    return {
      tools: tools.filter((tool) => toolListCovers(names, tool.name)),
      down: listed.problem === undefined ? [] : [{ server, problem: listed.problem }],
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
    close: () => connections.close(),
  }
}

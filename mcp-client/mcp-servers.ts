import { createHash } from "node:crypto"
import { setTimeout as delay } from "node:timers/promises"
import type { Tool as McpTool } from "@modelcontextprotocol/client"
import type { RunSnapshot } from "../contracts/run-snapshot.ts"
import type { ToolListWarning } from "../domain/tools/tool-list-change.ts"
import { mcpServerOf, toolListCovers } from "../domain/tools/tool-names.ts"
import { errorMessage } from "../domain/text/error-message.ts"
import type { CheckSchema } from "../domain/tools/schema-check.ts"
import type { Tool } from "../tools/tool.ts"
import { type ConnectionLimits, defaultConnectionLimits } from "./connection/connection-limits.ts"
import type { Logins } from "./oauth/logins.ts"
import type { McpServerSettings } from "./transport/create-transport.ts"
import type { ServerConnection } from "./connection/server-connection.ts"
import { reportUnusable, type UnusableReport } from "./connection/tool-list.ts"
import type { ToolPins } from "./tool-pins.ts"

/** The servers of a run, and the environment variables that it passes on. */
export type McpRun = Pick<RunSnapshot, "mcpServers" | "envAllow">

export interface FoundMcpTools {
  readonly tools: readonly Tool[]
  /** Servers that do not answer now, each with the reason. `tools` contains the tools that they offered last. */
  readonly down: readonly { readonly server: string; readonly problem: string }[]
  /** Tools that were left out, because the server lists them in a form that cannot be used; absent: none. */
  readonly unusable?: readonly UnusableReport[]
  /** Servers whose tools are not those that were pinned. */
  readonly changed: readonly ToolListWarning[]
}

interface ListOptions {
  readonly isFresh: boolean
}

/** The MCP servers of this worker. All runs with the same settings share one connection to a server. */
export interface McpServers {
  /**
   * Returns the tools that a list of names covers (`mcp__docs__search`, `mcp__docs__*`). Servers that it does not name are not contacted. Never
   * rejects.
   * @param options `isFresh`: each server lists its tools again, even if it reported no change of its last list
   */
  tools(run: McpRun, names: readonly string[], options?: ListOptions): Promise<FoundMcpTools>
  /** Closes every connection and stops the servers' programs. */
  close(): Promise<void>
}

export interface McpServersOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly toolEnv: (allow: readonly string[]) => Readonly<Record<string, string>>
  /** Checks values against the schemas of the servers. */
  readonly checkSchema: CheckSchema
  readonly limits?: ConnectionLimits
  /** The logins of this user at servers that require one; default none. */
  readonly logins?: Logins | undefined
  /** What servers listed first; default nothing is compared. */
  readonly pins?: ToolPins
  /** Receives each list that is not the pinned one, once. */
  readonly onChanged?: (warning: ToolListWarning) => void
  /**
   * How long `tools` waits for a server that is still starting, in milliseconds (default: 15 s). For a server that the names name, it waits up to the
   * server's own connect timeout.
   */
  readonly patienceMs?: number
}

const defaultPatienceMs = 15_000

/** Loads the MCP SDK when a server is first used: most runs use none, and loading it would slow down every start of a worker. */
const loadProtocol = async () => {
  const [
    { createServerConnection },
    { createMcpTool },
    { createForeignSchemas },
    { createResourceTool },
    { createAuthorization },
  ] = await Promise.all([
    import("./connection/server-connection.ts"),
    import("./mcp-tool.ts"),
    import("./connection/foreign-schema.ts"),
    import("./resource-tool.ts"),
    import("./oauth/authorization.ts"),
  ])
  return { createServerConnection, createMcpTool, createForeignSchemas, createResourceTool, createAuthorization }
}

type Protocol = Awaited<ReturnType<typeof loadProtocol>>

/** What listing a server's tools needs. */
interface ToolListing {
  readonly server: string
  readonly connection: ServerConnection
  readonly patienceMs: number
  readonly options: ListOptions | undefined
}

/** Connections that a run has waited for in vain. Other runs do not wait for them, until they have listed their tools or failed. */
const slow = new WeakSet<ServerConnection>()

/** Returns a server's tools. If the server fails or is not ready in time, returns its last tools and the reason. */
const listTools = async ({ server, connection, patienceMs, options }: ToolListing) => {
  const listed = new AbortController()
  const lastTools = (problem: string) => ({ tools: connection.lastTools() ?? [], problem })
  const waitMs = slow.has(connection) ? 0 : patienceMs
  try {
    return await Promise.race([
      connection
        .tools(options)
        .finally(() => slow.delete(connection))
        .then((tools) => ({ tools, problem: undefined })),
      delay(waitMs, undefined, { signal: listed.signal, ref: false }).then(() => {
        slow.add(connection)
        return lastTools(`MCP server ${server} is still starting; it had ${Math.ceil(patienceMs / 1_000)} s`)
      }),
    ])
  } catch (error) {
    return lastTools(errorMessage(error))
  } finally {
    listed.abort()
  }
}

/** Creates the connections of this worker: one for each combination of server and environment that runs use. */
const createConnections = ({ env, toolEnv, limits, logins }: McpServersOptions) => {
  const connections = new Map<string, ServerConnection>()
  return {
    get(protocol: Protocol, name: string, run: McpRun): ServerConnection {
      const config = run.mcpServers[name]
      if (config === undefined) throw new Error(`MCP server ${name} is not configured`)
      const allow = "url" in config ? [] : run.envAllow
      const key = createHash("sha256")
        .update(JSON.stringify([name, config, allow]))
        .digest("hex")
      const known = connections.get(key)
      if (known !== undefined) return known
      const settings: McpServerSettings = {
        name,
        config,
        env,
        allowedEnv: toolEnv(allow),
        authorization:
          "url" in config ? protocol.createAuthorization({ server: name, config, env, logins }) : undefined,
      }
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

/** Compares lists with the pinned ones, and reports each different list once. */
const createComparison = ({ pins, onChanged }: McpServersOptions) => {
  const reported = new Set<string>()
  return async (server: string, run: McpRun, tools: readonly McpTool[]): Promise<readonly ToolListWarning[]> => {
    const config = run.mcpServers[server]
    const found = config === undefined ? undefined : await pins?.check(server, config, tools)
    if (found === undefined) return []
    const warning = { server, ...found }
    if (!reported.has(`${server} ${found.list}`)) onChanged?.(warning)
    reported.add(`${server} ${found.list}`)
    return [warning]
  }
}

export const createMcpServers = (options: McpServersOptions): McpServers => {
  const { limits = defaultConnectionLimits, patienceMs = defaultPatienceMs } = options
  const connections = createConnections(options)
  const compare = createComparison(options)
  const adapted = new WeakMap<object, Tool>()

  const toolsOf = async (
    server: string,
    run: McpRun,
    { names, options: listing }: { readonly names: readonly string[]; readonly options: ListOptions | undefined },
  ): Promise<FoundMcpTools> => {
    const protocol = await loadProtocol()
    const connection = connections.get(protocol, server, run)
    const timeoutMs = run.mcpServers[server]?.timeoutMs ?? limits.connectTimeoutMs
    const trustsReadOnlyHint = run.mcpServers[server]?.trustReadOnlyHint === true
    const schemas = protocol.createForeignSchemas(options.checkSchema, server)
    const isNamed = names.some((name) => mcpServerOf(name) === server)
    const connectMs = run.mcpServers[server]?.connectTimeoutMs ?? limits.connectTimeoutMs
    const listed = await listTools({
      server,
      connection,
      patienceMs: isNamed ? connectMs : patienceMs,
      options: listing,
    })
    const source = { server, connection, schemas, timeoutMs, trustsReadOnlyHint }
    const adapt = (key: object, create: () => Tool): Tool => {
      const known = adapted.get(key) ?? create()
      adapted.set(key, known)
      return known
    }
    const own = listed.tools.map((tool) => adapt(tool, () => protocol.createMcpTool(source, tool)))
    const reader = adapt(connection, () => protocol.createResourceTool(source))
    const isOffered = connection.hasResources() && !own.some(({ name }) => name === reader.name)
    const tools = isOffered ? [...own, reader] : own
    return {
      tools: tools.filter((tool) => toolListCovers(names, tool.name)),
      down: listed.problem === undefined ? [] : [{ server, problem: listed.problem }],
      unusable: reportUnusable(server, connection.unusableTools()),
      // A server that has not answered has not listed anything.
      changed: listed.problem === undefined ? await compare(server, run, listed.tools) : [],
    }
  }

  return {
    async tools(run, names, listing) {
      const servers = Object.keys(run.mcpServers).filter((server) =>
        names.some((name) => name === "*" || mcpServerOf(name) === server),
      )
      const found = await Promise.all(servers.map((server) => toolsOf(server, run, { names, options: listing })))
      return {
        tools: found.flatMap(({ tools }) => tools),
        down: found.flatMap(({ down }) => down),
        unusable: found.flatMap(({ unusable = [] }) => unusable),
        changed: found.flatMap(({ changed }) => changed),
      }
    },
    close: () => connections.close(),
  }
}

import {
  type CallToolRequest,
  type CallToolResult,
  Client,
  type InputRequiredResult,
  type ReadResourceResult,
  type RequestOptions,
  type Tool as McpTool,
} from "@modelcontextprotocol/client"
import { errorMessage } from "../../domain/text/error-message.ts"
import { createBackOff } from "./back-off.ts"
import { type CallTurns, createCallTurns, type Elicit } from "./call-turns.ts"
import { type ConnectionLimits, defaultConnectionLimits } from "./connection-limits.ts"
import type { McpServerSettings } from "../transport/create-transport.ts"
import { acceptEverything } from "./foreign-schema.ts"
import type { UnusableTool } from "../transport/lenient-results.ts"
import { McpUnavailable } from "../transport/mcp-unavailable.ts"
import { missingScope } from "./login-command.ts"
import { createOpening } from "./open-client.ts"
import { createSharedClient } from "./shared-client.ts"
import { createToolList, type ToolList, usableTools } from "./tool-list.ts"

/** A connection to one server. It opens on first use, is shared by all calls, closes when unused, and is opened again after a failure. */
export interface ServerConnection {
  /** Returns the server's tools; with `isFresh`, as the server lists them now. Rejects with `McpUnavailable`. */
  tools(options?: { readonly isFresh: boolean }): Promise<readonly McpTool[]>
  /** Returns the tools that the server listed last. */
  readonly lastTools: () => readonly McpTool[] | undefined
  /** Returns the tools of that list which cannot be used. */
  readonly unusableTools: () => readonly UnusableTool[]
  /** Returns whether the server had resources when it listed its tools last. */
  readonly hasResources: () => boolean
  /** Reads a resource. Rejects with `McpUnavailable` or an error of the protocol. */
  readResource(uri: string, options: RequestOptions): Promise<ReadResourceResult["contents"]>
  /** Calls a tool. Rejects with `McpUnavailable` or an error of the protocol. */
  call(
    params: CallToolRequest["params"],
    options: RequestOptions,
    elicit: Elicit,
  ): Promise<CallToolResult | InputRequiredResult>
  close(): Promise<void>
}

/** Returns a tool without its output schema, because of which the SDK refuses results that have only a text. */
const uncheckedTool = (tool: McpTool | undefined): McpTool | undefined => {
  if (tool === undefined) return undefined
  const { outputSchema: _, ...rest } = tool
  return rest
}

/** Returns the error of a server that was reached, but did not list its tools. */
const notListed = (server: string, error: unknown): McpUnavailable =>
  error instanceof McpUnavailable
    ? error
    : new McpUnavailable(
        missingScope(error, server) ?? `MCP server ${server} did not list its tools: ${errorMessage(error)}`,
      )

const probeTimeoutMs = 5_000

const createClient = (turns: CallTurns, toolList: ToolList): Client => {
  const client = new Client(
    { name: "adjutant", version: "0.1.0" },
    {
      capabilities: { elicitation: { form: {}, url: {} } },
      versionNegotiation: { mode: "auto", probe: { timeoutMs: probeTimeoutMs } },
      inputRequired: { autoFulfill: false },
      jsonSchemaValidator: acceptEverything,
      // At once: the next model turn must not be offered the old list.
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: toolList.outdate } },
    },
  )
  client.setRequestHandler("elicitation/create", ({ params }) => turns.answer(params))
  return client
}

export const createServerConnection = (
  settings: McpServerSettings,
  limits: ConnectionLimits = defaultConnectionLimits,
): ServerConnection => {
  const backOff = createBackOff(settings.name, limits)
  const timeoutMs = settings.config.connectTimeoutMs ?? limits.connectTimeoutMs
  const turns = createCallTurns()
  const toolList = createToolList(limits.toolsMaxAgeMs)

  let unusable: UnusableTool[] = []
  let hasResources = false
  const open = createOpening({
    settings,
    timeoutMs,
    createClient: () => createClient(turns, toolList),
    onUnusable: (tool) => unusable.push(tool),
    failed: backOff.failed,
  })
  const shared = createSharedClient({ open, backOff, idleMs: limits.idleMs, onDisconnect: toolList.outdate })

  const listTools = async (client: Client): Promise<readonly McpTool[]> => {
    try {
      const options = { timeout: timeoutMs, cacheMode: "refresh" } as const
      unusable = []
      hasResources = client.getServerCapabilities()?.resources !== undefined
      const { tools, problems } = usableTools((await client.listTools(undefined, options)).tools)
      unusable.push(...problems)
      return tools
    } catch (error) {
      throw notListed(settings.name, error)
    }
  }

  return {
    tools: async ({ isFresh } = { isFresh: false }) =>
      (isFresh ? undefined : toolList.current(shared.isConnected())) ??
      (await shared.use((client) => toolList.refresh(() => listTools(client)))),
    lastTools: toolList.last,
    unusableTools: () => unusable,
    hasResources: () => hasResources,
    readResource: (uri, options) =>
      turns.inTurn(() =>
        shared.use(
          async (client) => (await client.readResource({ uri }, { ...options, cacheMode: "refresh" })).contents,
        ),
      ),
    call: (params, options, elicit) => {
      const toolDefinition = uncheckedTool(toolList.last()?.find(({ name }) => name === params.name))
      return turns.inTurn(() =>
        shared.use((client) =>
          turns.askedDuring(elicit, () =>
            client.callTool(params, { ...options, allowInputRequired: true, toolDefinition }),
          ),
        ),
      )
    },
    close: shared.close,
  }
}

import {
  type CallToolRequest,
  type CallToolResult,
  Client,
  type ElicitRequestParams,
  type ElicitResult,
  type InputRequiredResult,
  type RequestOptions,
  type Tool as McpTool,
} from "@modelcontextprotocol/client"
import { errorMessage } from "../domain/text/error-message.ts"
import { type ConnectionLimits, defaultConnectionLimits } from "./connection-limits.ts"
import { createTransport, type McpServerSettings } from "./create-transport.ts"
import { McpUnavailable } from "./mcp-unavailable.ts"

export { defaultConnectionLimits } from "./connection-limits.ts"

/** Answers what a server asks during a call. Only servers of older protocols ask so; newer ones answer the call with their question. */
export type Elicit = (question: ElicitRequestParams) => ElicitResult

/** One server: connected when it is first needed, shared by all that use it, closed when nobody does, started again when it failed. */
export interface ServerConnection {
  /** Rejects with `McpUnavailable`. */
  tools(): Promise<readonly McpTool[]>
  /** The tools that it had when it was last asked. */
  readonly lastTools: () => readonly McpTool[] | undefined
  /** Rejects with `McpUnavailable`, or with the protocol's own errors. */
  call(
    params: CallToolRequest["params"],
    options: RequestOptions,
    elicit: Elicit,
  ): Promise<CallToolResult | InputRequiredResult>
  close(): Promise<void>
}

const probeTimeoutMs = 5_000

export const createServerConnection = (
  settings: McpServerSettings,
  limits: ConnectionLimits = defaultConnectionLimits,
): ServerConnection => {
  let live: Promise<Client> | undefined
  let opening = new AbortController()
  let users = 0
  let idleTimer: NodeJS.Timeout | undefined
  let failures = 0
  let problem = ""
  let retryAt = 0
  let known: { readonly tools: readonly McpTool[]; readonly at: number } | undefined
  let isKnownFresh = false
  /** Calls in flight that a question may belong to. */
  const asking = new Set<Elicit>()
  /** Set once a question came that could have belonged to several calls: from then on there is one call at a time. */
  let turn: Promise<unknown> | undefined

  const failed = (why: string): McpUnavailable => {
    failures += 1
    problem = why
    const waits = failures < 2 ? 0 : Math.min(limits.backOffMaxMs, limits.backOffMs * 2 ** Math.min(failures - 2, 20))
    retryAt = Date.now() + waits
    return new McpUnavailable(`MCP server ${settings.name} cannot be reached: ${why}`)
  }

  const answerQuestion = (question: ElicitRequestParams): ElicitResult => {
    const [only] = asking
    if (asking.size === 1 && only !== undefined) return only(question)
    turn ??= Promise.resolve()
    return { action: "cancel" }
  }

  const createClient = (): Client => {
    const client = new Client(
      { name: "adjutant", version: "0.1.0" },
      {
        capabilities: { elicitation: { form: {}, url: {} } },
        versionNegotiation: { mode: "auto", probe: { timeoutMs: probeTimeoutMs } },
        inputRequired: { autoFulfill: false },
        listChanged: { tools: { autoRefresh: false, onChanged: () => (isKnownFresh = false) } },
      },
    )
    client.setRequestHandler("elicitation/create", ({ params }) => answerQuestion(params))
    return client
  }

  const open = async (signal: AbortSignal): Promise<Client> => {
    const { transport, saidLast } = createTransport(settings)
    const client = createClient()
    try {
      await client.connect(transport, { timeout: limits.connectTimeoutMs, signal })
    } catch (error) {
      await client.close().catch(() => undefined)
      await transport.close().catch(() => undefined)
      throw failed([errorMessage(error), saidLast()].filter((text) => text !== "").join("; it said: "))
    }
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's client is no event target
    client.onclose = () => {
      if (live === undefined || closing.has(client)) return
      live = undefined
      isKnownFresh = false
      void failed(["it ended", saidLast()].filter((text) => text !== "").join("; it said: "))
    }
    return client
  }

  const closing = new WeakSet<Client>()

  const disconnect = async (): Promise<void> => {
    clearTimeout(idleTimer)
    opening.abort(new Error("the connection is being closed"))
    const client = await live?.catch(() => undefined)
    live = undefined
    isKnownFresh = false
    if (client === undefined) return
    closing.add(client)
    await client.close().catch(() => undefined)
  }

  const connected = (): Promise<Client> => {
    if (live !== undefined) return live
    const waits = retryAt - Date.now()
    if (waits > 0)
      throw new McpUnavailable(
        `MCP server ${settings.name} cannot be reached: ${problem}; the next try is in ${Math.ceil(waits / 1000)} s`,
      )
    opening = new AbortController()
    const begun = open(opening.signal)
    live = begun
    begun.catch(() => {
      if (live === begun) live = undefined
    })
    return begun
  }

  const use = async <T>(work: (client: Client) => Promise<T>): Promise<T> => {
    users += 1
    clearTimeout(idleTimer)
    try {
      const result = await work(await connected())
      failures = 0
      return result
    } finally {
      users -= 1
      if (users === 0 && live !== undefined) {
        idleTimer = setTimeout(() => void disconnect(), limits.idleMs)
        idleTimer.unref()
      }
    }
  }

  const isRecent = (): boolean =>
    known !== undefined && (live === undefined ? Date.now() - known.at < limits.toolsMaxAgeMs : isKnownFresh)

  return {
    async tools() {
      if (known !== undefined && isRecent()) return known.tools
      return use(async (client) => {
        isKnownFresh = true
        try {
          const { tools } = await client.listTools(undefined, {
            timeout: limits.connectTimeoutMs,
            cacheMode: "refresh",
          })
          known = { tools, at: Date.now() }
          return tools
        } catch (error) {
          isKnownFresh = false
          throw new McpUnavailable(`MCP server ${settings.name} does not list its tools: ${errorMessage(error)}`)
        }
      })
    },
    lastTools: () => known?.tools,
    call(params, options, elicit) {
      const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
        if (turn === undefined) return work()
        const mine = turn.then(work, work)
        turn = mine.catch(() => undefined)
        return mine
      }
      return inTurn(() =>
        use(async (client) => {
          asking.add(elicit)
          try {
            return await client.callTool(params, { ...options, allowInputRequired: true })
          } finally {
            asking.delete(elicit)
          }
        }),
      )
    },
    close: disconnect,
  }
}

import type { Tool as McpTool } from "@modelcontextprotocol/client"
import type { UnusableTool } from "../transport/lenient-results.ts"

/** Longer names fit in no rule of a policy, and people would be shown only a part of them. */
const maxName = 200
/** Each step of a run looks at all tools. */
const maxTools = 5_000

interface UsableTools {
  readonly tools: readonly McpTool[]
  /** What is left out, and why. */
  readonly problems: readonly UnusableTool[]
}

/** Returns what is used of the tools that a server lists. */
export const usableTools = (listed: readonly McpTool[]): UsableTools => {
  const tools = listed.filter(({ name }) => name.length <= maxName)
  const long = listed.length - tools.length
  const more = tools.length - maxTools
  return {
    tools: tools.slice(0, maxTools),
    problems: [
      ...(long === 0 ? [] : [{ reason: `${long} with a name of more than ${maxName} characters` }]),
      ...(more <= 0 ? [] : [{ reason: `the last ${more} of ${tools.length}: at most ${maxTools} are used` }]),
    ],
  }
}

/** What people are told of the tools that a server lists and that cannot be used. */
export interface UnusableReport {
  readonly server: string
  /** Absent if it is more than one tool. */
  readonly tool?: string
  readonly message: string
}

const maxReports = 50

/** Returns what people are told: of each tool, up to a limit. */
export const reportUnusable = (server: string, found: readonly UnusableTool[]): readonly UnusableReport[] => {
  const more = found.length - maxReports
  const shown = more <= 0 ? found : [...found.slice(0, maxReports), { reason: `${more} more` }]
  return shown.map(({ name, reason }) =>
    name === undefined
      ? { server, message: `MCP server ${server} lists tools that cannot be used: ${reason}` }
      : { server, tool: name, message: `MCP server ${server} lists a tool that cannot be used, ${name}: ${reason}` },
  )
}

/** The tools that one server listed last. */
export interface ToolList {
  readonly last: () => readonly McpTool[] | undefined
  /** Returns the last list if it is still valid: the server reported no change, or disconnected a short time ago. */
  readonly current: (isConnected: boolean) => readonly McpTool[] | undefined
  /** Marks the list as outdated. */
  readonly outdate: () => void
  refresh(list: () => Promise<readonly McpTool[]>): Promise<readonly McpTool[]>
}

/** Creates an empty list. `maxAgeMs`: how long the list of a disconnected server stays valid. */
export const createToolList = (maxAgeMs: number): ToolList => {
  let known: { readonly tools: readonly McpTool[]; readonly listedAtMs: number } | undefined
  let isUnchanged = false
  return {
    last: () => known?.tools,
    current(isConnected) {
      if (known === undefined) return undefined
      return (isConnected ? isUnchanged : Date.now() - known.listedAtMs < maxAgeMs) ? known.tools : undefined
    },
    outdate() {
      isUnchanged = false
    },
    async refresh(list) {
      // Set before the request, so that a change reported during the request counts.
      isUnchanged = true
      try {
        const tools = await list()
        known = { tools, listedAtMs: Date.now() }
        return tools
      } catch (error) {
        isUnchanged = false
        throw error
      }
    },
  }
}

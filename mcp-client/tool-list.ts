import type { Tool as McpTool } from "@modelcontextprotocol/client"

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

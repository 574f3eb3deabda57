import type { Tool as McpTool } from "@modelcontextprotocol/client"

/** The tools of one server as it listed them last. */
export interface ToolList {
  readonly last: () => readonly McpTool[] | undefined
  /** The last list, where the server need not be asked again: it has reported no change, or was disconnected a short time ago. */
  readonly current: (isConnected: boolean) => readonly McpTool[] | undefined
  /** The server may have other tools now. */
  readonly outdate: () => void
  refresh(list: () => Promise<readonly McpTool[]>): Promise<readonly McpTool[]>
}

/** `maxAgeMs` is how old the list of a disconnected server may be. */
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
      // Before the request: a change that the server reports meanwhile counts.
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

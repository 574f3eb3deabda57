import type { RunSnapshot } from "../../../contracts/run-snapshot.ts"
import { mayFindTools } from "../../../domain/tools/search/listed-tools.ts"
import { findToolsName, isAllowedTool, isOfferedTool } from "../../../domain/tools/tool-names.ts"
import type { ToolSpec } from "../../../models/model-provider.ts"
import type { FoundMcpTools } from "../../../mcp-client/mcp-servers.ts"
import type { Tool } from "../../../tools/tool.ts"
import type { AgentDependencies } from "../../agent-dependencies.ts"
import { finishSpecs } from "./finish-tool.ts"
import { findToolsTool, searchSpecs } from "./search-tools.ts"

type ToolSources = Pick<AgentDependencies, "tools" | "mcp">

/** What a run can use now. */
export interface OfferedTools extends Omit<FoundMcpTools, "tools"> {
  /** All that it can call, whether or not its list has it. */
  readonly tools: readonly Tool[]
  /** Those of this program. */
  readonly own: readonly Tool[]
  /** Those of MCP servers. */
  readonly served: readonly Tool[]
}

const findersOf = ({ mcp }: ToolSources, snapshot: RunSnapshot): readonly Tool[] =>
  mayFindTools(snapshot) ? [findToolsTool(mcp, snapshot)] : []

/**
 * Returns the tools of a run, always in the same order: those of this program, then those of the MCP servers in its list. If a server does not answer, the
 * other tools are still returned.
 */
export const offeredTools = async (sources: ToolSources, snapshot: RunSnapshot): Promise<OfferedTools> => {
  const isAllowed = ({ name }: Tool): boolean => isAllowedTool(snapshot, name)
  const own = [...sources.tools.values()].filter(({ name }) => isOfferedTool(snapshot, name))
  const found = await sources.mcp.tools(snapshot, snapshot.tools)
  const served = found.tools.filter(isAllowed)
  return { ...found, own, served, tools: [...own, ...served, ...findersOf(sources, snapshot)] }
}

/** Returns one tool of a run, or why it is not available; asks only the server of that tool. */
export const offeredTool = async (
  sources: ToolSources,
  snapshot: RunSnapshot,
  name: string,
): Promise<Tool | { readonly problem: string }> => {
  const [finder] = name === findToolsName ? findersOf(sources, snapshot) : []
  if (finder !== undefined) return finder
  if (!isOfferedTool(snapshot, name)) return { problem: `there is no tool ${name} in this run` }
  const own = sources.tools.get(name)
  if (own !== undefined) return own
  const found = await sources.mcp.tools(snapshot, [name])
  const tool = found.tools.find((candidate) => candidate.name === name)
  return tool ?? { problem: found.down[0]?.problem ?? `there is no tool ${name} on this worker` }
}

/** Returns the tools with which a run searches for tools, and ends. */
export const closingSpecs = (snapshot: RunSnapshot): readonly ToolSpec[] => [
  ...searchSpecs(snapshot),
  ...finishSpecs(snapshot),
]

import { z } from "zod"
import type { RunSnapshot } from "../../../contracts/run-snapshot.ts"
import { mayFindTools } from "../../../domain/tools/search/listed-tools.ts"
import { searchText } from "../../../domain/tools/search/search-tools.ts"
import { callToolName, findToolsName, isAllowedTool } from "../../../domain/tools/tool-names.ts"
import type { McpServers } from "../../../mcp-client/mcp-servers.ts"
import type { ToolSpec } from "../../../models/model-provider.ts"
import type { Tool } from "../../../tools/tool.ts"
import { toolSpec } from "./tool-spec.ts"

const findInputSchema = z.strictObject({
  query: z.string().min(1).max(1_000).describe("Words for what the tool does, or its full name."),
})

export const callToolInputSchema = z.strictObject({
  name: z.string().min(1).describe("The full name of the tool, as find_tools returns it."),
  arguments: z.looseObject({}).describe("The arguments of the tool."),
})

const callToolSpec: ToolSpec = {
  name: callToolName,
  description:
    "Calls a tool that is not in your list of tools, by the name and with the arguments that find_tools returned. It is approved or refused like any other call of that tool.",
  inputSchema: z.toJSONSchema(callToolInputSchema, { io: "input" }),
}

const shownServers = 50

const descriptionOf = ({ mcpServers }: Pick<RunSnapshot, "mcpServers">): string => {
  const names = Object.keys(mcpServers)
  const more = names.length - shownServers
  const servers = `${names.slice(0, shownServers).join(", ")}${more > 0 ? ` and ${more} more` : ""}`
  return `Searches the tools of MCP servers, also those that are not in your list of tools, and returns their names, descriptions and arguments. Servers: ${servers}.`
}

const findToolsText = (snapshot: RunSnapshot): Pick<Tool, "name" | "description"> => ({
  name: findToolsName,
  description: descriptionOf(snapshot),
})

/** Returns the tool that searches the tools of a run's MCP servers, as they are when it is called. */
export const findToolsTool = (mcp: Pick<McpServers, "tools">, snapshot: RunSnapshot): Tool => ({
  ...findToolsText(snapshot),
  input: findInputSchema,
  readOnly: true,
  idempotent: true,
  async execute(input) {
    const { query } = findInputSchema.parse(input)
    const { tools, down } = await mcp.tools(snapshot, snapshot.tools)
    const found = tools.filter(({ name }) => isAllowedTool(snapshot, name)).map(toolSpec)
    return { content: [searchText(found, query), ...down.map(({ problem }) => `(${problem})`)].join("\n\n") }
  },
})

const specsOf = new WeakMap<RunSnapshot, readonly ToolSpec[]>()

/** Returns the tools with which a run reaches tools that are not in its list; none where its list has all of them. */
export const searchSpecs = (snapshot: RunSnapshot): readonly ToolSpec[] => {
  const known = specsOf.get(snapshot)
  if (known !== undefined) return known
  const specs = mayFindTools(snapshot)
    ? [{ ...findToolsText(snapshot), inputSchema: z.toJSONSchema(findInputSchema, { io: "input" }) }, callToolSpec]
    : []
  specsOf.set(snapshot, specs)
  return specs
}

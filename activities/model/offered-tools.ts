import { z } from "zod"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { isAllowedTool } from "../../domain/tools/tool-names.ts"
import type { ToolSpec } from "../../models/model-provider.ts"
import type { FoundMcpTools } from "../../mcp-client/mcp-servers.ts"
import type { Tool } from "../../tools/tool.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"

export const finishInputSchema = z.strictObject({
  result: z
    .string()
    .describe(
      "The final answer for the person or agent who gave you this task: complete, since they receive nothing else.",
    ),
})

const finishSpec: ToolSpec = {
  name: "finish",
  description:
    "Ends your run and hands over its result. Call it once, when the task is done; a reply without a tool call asks a person for input instead.",
  inputSchema: z.toJSONSchema(finishInputSchema),
}

/** The same for a run whose result must validate; the schema itself is in the system prompt. */
export const finishValueSchema = z.strictObject({
  result: z.unknown().describe("The result: one JSON value that validates against the required JSON Schema."),
})

const finishValueSpec: ToolSpec = {
  name: "finish",
  description: "Ends your run and hands over its result. Call it once, when the task is done.",
  inputSchema: { ...z.toJSONSchema(finishValueSchema), required: ["result"] },
}

/** Returns the tool with which a model ends its run; none where a text is always the result. */
const finishSpecs = ({ pauseOnText, outputSchema }: RunSnapshot): readonly ToolSpec[] => {
  if (outputSchema !== undefined) return [finishValueSpec]
  return pauseOnText ? [finishSpec] : []
}

const specs = new WeakMap<Tool, ToolSpec>()

const specOf = (tool: Tool): ToolSpec => {
  const known = specs.get(tool)
  if (known !== undefined) return known
  const spec = {
    name: tool.name,
    description: tool.description,
    inputSchema: tool.inputJsonSchema ?? z.toJSONSchema(tool.input, { io: "input" }),
  }
  specs.set(tool, spec)
  return spec
}

type ToolSources = Pick<AgentDependencies, "tools" | "mcp">

/** What a run can use now. */
export interface OfferedTools extends Omit<FoundMcpTools, "tools"> {
  readonly tools: readonly Tool[]
}

/**
 * Returns the tools of a run, always in the same order, so that providers can cache the prefix: those of this program, then those of the MCP servers in
 * its list. If a server does not answer, the other tools are still returned.
 */
export const offeredTools = async ({ tools, mcp }: ToolSources, snapshot: RunSnapshot): Promise<OfferedTools> => {
  const own = [...tools.values()]
  const found = await mcp.tools(snapshot, snapshot.tools)
  return { ...found, tools: [...own, ...found.tools].filter(({ name }) => isAllowedTool(snapshot, name)) }
}

/** Returns one tool of a run, or why it is not available; asks only the server of that tool. */
export const offeredTool = async (
  { tools, mcp }: ToolSources,
  snapshot: RunSnapshot,
  name: string,
): Promise<Tool | { readonly problem: string }> => {
  if (!isAllowedTool(snapshot, name)) return { problem: `there is no tool ${name} in this run` }
  const own = tools.get(name)
  if (own !== undefined) return own
  const found = await mcp.tools(snapshot, [name])
  const tool = found.tools.find((candidate) => candidate.name === name)
  return tool ?? { problem: found.down[0]?.problem ?? `there is no tool ${name} on this worker` }
}

export const offeredSpecs = (snapshot: RunSnapshot, tools: readonly Tool[]): readonly ToolSpec[] => [
  ...tools.map(specOf),
  ...finishSpecs(snapshot),
]

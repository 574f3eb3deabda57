import { z } from "zod"
import type { RunSnapshot } from "../contracts/run-snapshot.ts"
import { isAllowedTool } from "../domain/tool-names.ts"
import type { ToolSpec } from "../models/model-provider.ts"
import type { Tool } from "../tools/tool.ts"

export const finishInputSchema = z.strictObject({
  result: z
    .string()
    .describe("The final answer for whoever gave you this task: complete, since nothing else reaches them."),
})

const finishSpec: ToolSpec = {
  name: "finish",
  description:
    "Ends your run and hands over its result. Call it once, when the task is done; a reply without a tool call asks a person for input instead.",
  inputSchema: z.toJSONSchema(finishInputSchema),
}

const specs = new WeakMap<Tool, ToolSpec>()

const specOf = (tool: Tool): ToolSpec => {
  const known = specs.get(tool)
  if (known !== undefined) return known
  const spec = {
    name: tool.name,
    description: tool.description,
    inputSchema: z.toJSONSchema(tool.input, { io: "input" }),
  }
  specs.set(tool, spec)
  return spec
}

/** The tools of a run, in the order in which its model always sees them (a stable prefix is what providers cache). */
export const offeredTools = (snapshot: RunSnapshot, tools: ReadonlyMap<string, Tool>): readonly Tool[] =>
  [...tools.values()].filter((tool) => isAllowedTool(snapshot, tool.name))

export const offeredSpecs = (snapshot: RunSnapshot, tools: ReadonlyMap<string, Tool>): readonly ToolSpec[] => [
  ...offeredTools(snapshot, tools).map(specOf),
  ...(snapshot.pauseOnText ? [finishSpec] : []),
]

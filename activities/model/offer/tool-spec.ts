import { z } from "zod"
import type { ToolSpec } from "../../../models/model-provider.ts"
import type { Tool } from "../../../tools/tool.ts"

const specs = new WeakMap<Tool, ToolSpec>()

/** Returns a tool as models see it: always the same object, so that what is derived from it is made once. */
export const toolSpec = (tool: Tool): ToolSpec => {
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

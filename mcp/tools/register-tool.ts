import type {
  CallToolResult,
  InputRequiredResult,
  McpServer,
  ServerContext,
  StandardSchemaWithJSON,
} from "@modelcontextprotocol/server"
import type { z } from "zod"
import type { AdvertisedTool } from "../../contracts/delegation/delegation-tools.ts"
import { outputSchemas } from "../answers/output-schemas.ts"

/** Returns a schema that clients see but that accepts everything: the tools validate their arguments themselves and return their own errors. */
const advertisedSchema = (schema: z.ZodType): StandardSchemaWithJSON<unknown, unknown> => ({
  "~standard": {
    version: 1,
    vendor: "adjutant",
    validate: (value) => ({ value }),
    jsonSchema: schema["~standard"].jsonSchema,
  },
})

/** Advertises a tool with its schemas and hints. */
export const registerTool = (
  mcp: McpServer,
  tool: AdvertisedTool,
  handle: (args: unknown, ctx: ServerContext) => Promise<CallToolResult | InputRequiredResult>,
) => {
  const readOnlyHint = tool.readOnly || tool.changesNothing === true
  return mcp.registerTool(
    tool.name,
    {
      description: tool.description,
      inputSchema: advertisedSchema(tool.input),
      ...(outputSchemas[tool.name] === undefined ? {} : { outputSchema: outputSchemas[tool.name] }),
      annotations: {
        readOnlyHint,
        destructiveHint: tool.destructive,
        idempotentHint: tool.idempotent,
        openWorldHint: !readOnlyHint,
      },
    },
    handle,
  )
}

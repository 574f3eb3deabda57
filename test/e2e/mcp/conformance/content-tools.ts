import {
  type CallToolResult,
  fromJsonSchema,
  type InputRequiredResult,
  type ServerContext,
  type StandardSchemaWithJSON,
} from "@modelcontextprotocol/server"

export type FixtureResult = CallToolResult | InputRequiredResult

/** A tool that the suite calls by its name. */
export interface FixtureTool {
  readonly inputSchema?: StandardSchemaWithJSON
  readonly run: (ctx: ServerContext) => FixtureResult | Promise<FixtureResult>
}

/** A picture of one red pixel, as Base64. */
export const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="

/** A sound without samples, as Base64. */
const wav = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA="

const text = (value: string) => ({ type: "text" as const, text: value })
const picture = { type: "image" as const, data: png, mimeType: "image/png" }
const resource = (uri: string) => ({
  type: "resource" as const,
  resource: { uri, mimeType: "text/plain", text: "the text of a resource" },
})

/** What each tool answers at once. */
const answers: Readonly<Record<string, CallToolResult["content"]>> = {
  test_simple_text: [text("a simple text")],
  test_image_content: [picture],
  test_audio_content: [{ type: "audio", data: wav, mimeType: "audio/wav" }],
  test_embedded_resource: [resource("test://embedded")],
  test_multiple_content_types: [text("a text, a picture and a resource"), picture, resource("test://mixed")],
}

/** The keywords of JSON Schema 2020-12 that a server has to pass on unchanged. */
const wideSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object" as const,
  $defs: {
    address: {
      $anchor: "addressDef",
      type: "object",
      properties: { street: { type: "string" }, city: { type: "string" } },
    },
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" },
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  then: { required: ["phone"] }, // oxlint-disable-line unicorn/no-thenable -- a keyword of JSON Schema
  else: { required: ["email"] },
  additionalProperties: false,
}

const log: FixtureTool["run"] = async (ctx) => {
  for (const line of ["started", "working", "ended"]) await ctx.mcpReq.log("info", line)
  return { content: [text("logged")] }
}

const reportProgress: FixtureTool["run"] = async (ctx) => {
  const progressToken = ctx.mcpReq._meta?.progressToken
  if (progressToken !== undefined)
    for (const progress of [0, 50, 100])
      await ctx.mcpReq.notify({
        method: "notifications/progress",
        params: { progressToken, progress, total: 100, message: `${progress} %` },
      })
  return { content: [text("done")] }
}

/** The tools that answer without a question. */
export const contentTools: Readonly<Record<string, FixtureTool>> = {
  ...Object.fromEntries(Object.entries(answers).map(([name, content]) => [name, { run: () => ({ content }) }])),
  test_error_handling: { run: () => ({ isError: true, content: [text("this tool always fails")] }) },
  test_tool_with_progress: { run: reportProgress },
  test_tool_with_logging: { run: log },
  test_logging_tool: { run: log },
  json_schema_2020_12_tool: {
    inputSchema: fromJsonSchema(wideSchema),
    run: () => ({ content: [text("ok")] }),
  },
}

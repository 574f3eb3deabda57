import {
  type CacheHint,
  createRequestStateCodec,
  McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceTemplate,
} from "@modelcontextprotocol/server"
import { z } from "zod"
import { contentTools, type FixtureTool, png } from "./content-tools.ts"
import { addQuestionPrompt, questionTools, type QuestionState } from "./question-tools.ts"

const cacheHint: CacheHint = { ttlMs: 60_000, cacheScope: "private" }
const cached = ["tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read"] as const
const codec = createRequestStateCodec<QuestionState>({ key: "a key that only signs states of this test" })

const tools = new Map<string, FixtureTool>(Object.entries({ ...contentTools, ...questionTools(codec) }))

const addTools = (mcp: McpServer): void => {
  for (const [name, { inputSchema, run }] of tools) {
    const description = `Tool ${name} of the conformance suite`
    if (inputSchema === undefined) mcp.registerTool(name, { description }, run)
    else mcp.registerTool(name, { description, inputSchema }, (_args, ctx) => run(ctx))
  }
  // As in Adjutant's own server, errors of the protocol are not turned into results.
  mcp.server.setRequestHandler("tools/call", async ({ params }, ctx) => {
    const tool = tools.get(params.name)
    if (tool === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `tool ${params.name} not found`)
    return await tool.run(ctx)
  })
}

const addResources = (mcp: McpServer): void => {
  const text = { uri: "test://static-text", mimeType: "text/plain", text: "a fixed text" }
  mcp.registerResource("text", text.uri, { description: "A text", mimeType: text.mimeType }, () => ({
    contents: [text],
  }))
  const picture = { uri: "test://static-binary", mimeType: "image/png", blob: png }
  mcp.registerResource("picture", picture.uri, { description: "A picture", mimeType: picture.mimeType }, () => ({
    contents: [picture],
  }))
  const template = new ResourceTemplate("test://template/{id}/data", { list: undefined })
  mcp.registerResource("record", template, { description: "A record by its id" }, (uri, { id }) => ({
    contents: [{ uri: uri.href, mimeType: "application/json", text: JSON.stringify({ id, kind: "record" }) }],
  }))
}

const said = (text: string) => ({ role: "user" as const, content: { type: "text" as const, text } })

const addPrompts = (mcp: McpServer): void => {
  mcp.registerPrompt("test_simple_prompt", { description: "A prompt without arguments" }, () => ({
    messages: [said("a prompt without arguments")],
  }))
  mcp.registerPrompt(
    "test_prompt_with_arguments",
    { description: "A prompt with two arguments", argsSchema: z.object({ arg1: z.string(), arg2: z.string() }) },
    ({ arg1, arg2 }) => ({ messages: [said(`first: ${arg1}, second: ${arg2}`)] }),
  )
  mcp.registerPrompt(
    "test_prompt_with_embedded_resource",
    { description: "A prompt that contains a resource", argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri: uri }) => ({
      messages: [
        {
          role: "user",
          content: { type: "resource", resource: { uri, mimeType: "text/plain", text: "the text of the resource" } },
        },
        said("summarise this resource"),
      ],
    }),
  )
  mcp.registerPrompt("test_prompt_with_image", { description: "A prompt that contains a picture" }, () => ({
    messages: [
      { role: "user", content: { type: "image", data: png, mimeType: "image/png" } },
      said("describe this picture"),
    ],
  }))
}

/** Creates a server with the tools, resources and prompts that the conformance suite calls by name. It keeps no state. */
export const createFixtureServer = (): McpServer => {
  const mcp = new McpServer(
    { name: "conformance-fixture", version: "1.0.0" },
    {
      capabilities: { tools: {}, resources: {}, prompts: {}, completions: {}, logging: {} },
      cacheHints: Object.fromEntries(cached.map((method) => [method, cacheHint])),
      requestState: { verify: codec.verify },
    },
  )
  addTools(mcp)
  addQuestionPrompt(mcp)
  addResources(mcp)
  addPrompts(mcp)
  mcp.server.setRequestHandler("completion/complete", () => ({ completion: { values: ["first"], total: 1 } }))
  return mcp
}

import { z } from "zod"
import type { Tool } from "../tools/tool.ts"
import { mcpFailureText, type McpToolSource } from "./mcp-tool.ts"
import { readCallResult } from "./read-call-result.ts"

/** The tool's name among those of its server. */
export const resourceToolName = "read_resource"

const input = z.strictObject({ uri: z.string().min(1).max(8_192).describe("URI of the resource.") })

/** Returns a tool that reads the resources of a server, such as those to which the results of its tools link. The server alone decides what a URI is. */
export const createResourceTool = (source: McpToolSource): Tool => ({
  name: `mcp__${source.server}__${resourceToolName}`,
  description: `Reads a resource of the MCP server ${source.server} by its URI, such as one that a resource_link in a result names.`,
  input,
  // The server says nothing about it.
  definition: () => "{}",
  readOnly: source.trustsReadOnlyHint,
  idempotent: true,
  async execute(args, { signal, spillDir }) {
    try {
      const contents = await source.connection.readResource(input.parse(args).uri, {
        timeout: source.timeoutMs,
        signal,
      })
      return await readCallResult({ content: contents.map((resource) => ({ type: "resource", resource })) }, spillDir)
    } catch (error) {
      signal.throwIfAborted()
      return { content: mcpFailureText(error, source), isError: true }
    }
  },
})

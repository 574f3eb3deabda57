/**
 * A program that serves tools whose schemas block every thread that matches their patterns. It speaks MCP line by line, since the SDK's own server would not return results that
 * its schema refuses.
 */
export const foreignSchemaServer = String.raw`
const write = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n")
const pattern = "^(a+)+$"
const object = { type: "object" }
const tools = [
  { name: "input", inputSchema: { ...object, properties: { text: { pattern } } } },
  { name: "output", inputSchema: object, outputSchema: { ...object, properties: { text: { pattern } } } },
  { name: "number", inputSchema: object, outputSchema: { ...object, properties: { text: { type: "number" } } } },
  { name: "foreign", inputSchema: object, outputSchema: { ...object, $ref: "https://example.com/schema" } },
  { name: "failed", inputSchema: object, outputSchema: { ...object, properties: { text: { type: "number" } } } },
]
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line)
  const answer = (result) => write({ id, result })
  if (id === undefined) return
  if (method === "initialize")
    return answer({ protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } })
  if (method === "tools/list") return answer({ tools })
  if (method !== "tools/call") return write({ id, error: { code: -32601, message: "not found" } })
  const content = [{ type: "text", text: "pushed abc123" }]
  answer({ content, structuredContent: { text: "a".repeat(60) + "!" }, ...(params.name === "failed" ? { isError: true } : {}) })
})`

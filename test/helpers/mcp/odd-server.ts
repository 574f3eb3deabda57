/**
 * A program whose answers are odd, as those of some real servers are. It writes each start, and each request that it gets, to the file that `ODD_LOG`
 * names. With `ODD_STRICT`, it ends at a request before `initialize`.
 */
export const oddServer = String.raw`
const { appendFileSync } = require("node:fs")
const log = (line) => process.env.ODD_LOG && appendFileSync(process.env.ODD_LOG, line + "\n")
log("start")
const write = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n")
const inputSchema = { type: "object" }
const outputSchema = { type: "object", properties: { sha: { type: "string" } } }
const pages = {
  undefined: {
    tools: [
      { name: "text", inputSchema, outputSchema },
      { name: "bad" },
      { name: "block", inputSchema, annotations: "none" },
      { name: "list", inputSchema },
      { name: "annotated", inputSchema },
      { name: "said", inputSchema },
      { name: "nothing", inputSchema },
    ],
    nextCursor: "2",
  },
  2: { tools: "none", nextCursor: "3" },
}
const text = { type: "text", text: "pushed abc123" }
const results = {
  text: { content: [text] },
  block: { content: [text, { type: "chart", points: [1, 2] }], isError: "false" },
  list: { content: [text], structuredContent: [1, 2] },
  annotated: { content: [{ ...text, annotations: 5 }] },
  said: { content: "pushed abc123" },
  nothing: { structuredContent: { ok: true } },
}
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line)
  log(method)
  if (id === undefined) return
  if (method === "initialize")
    return write({ id, result: { protocolVersion: "2025-06-18", capabilities: { tools: {}, ...(process.env.ODD_RESOURCES ? { resources: {} } : {}) }, serverInfo: { name: "s", version: "1" } } })
  if (process.env.ODD_STRICT && method === "server/discover") return process.exit(1)
  if (method === "tools/list") return write({ id, result: pages[params?.cursor] })
  if (method === "tools/call") return write({ id, result: results[params.name] })
  if (method === "resources/read" && params.uri === "notes://1")
    return write({ id, result: { contents: [{ uri: params.uri, mimeType: "text/plain", text: "a note" }] } })
  write({ id, error: { code: -32601, message: "not found" } })
})`

/**
 * A program that lists the tools whose names the JSON file `LISTED_TOOLS` contains; while there is no such file, it does not answer. If the file changes,
 * it says so before its next answer to a call. Each call is written to the file `LISTED_LOG`.
 */
export const listedServer = String.raw`
const { appendFileSync, existsSync, readFileSync } = require("node:fs")
const file = process.env.LISTED_TOOLS
const write = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n")
const read = () => readFileSync(file, "utf8")
let listed = ""
const inputSchema = { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] }
const list = (id) => {
  if (!existsSync(file)) return setTimeout(() => list(id), 20)
  listed = read()
  const tools = JSON.parse(listed).map((name) => ({ name, description: "Does " + name, inputSchema }))
  write({ id, result: { tools } })
}
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  if (method === "initialize")
    return write({ id, result: { protocolVersion: "2025-06-18", capabilities: { tools: { listChanged: true } }, serverInfo: { name: "s", version: "1" } } })
  if (method === "tools/list") return list(id)
  if (method !== "tools/call") return write({ id, error: { code: -32601, message: "not found" } })
  appendFileSync(process.env.LISTED_LOG, params.name + " " + JSON.stringify(params.arguments) + "\n")
  if (read() !== listed) write({ method: "notifications/tools/list_changed" })
  write({ id, result: { content: [{ type: "text", text: "did " + params.name }] } })
})`

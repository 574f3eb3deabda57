import type { McpServer, ServerContext } from "@modelcontextprotocol/server"

export const tasksExtension = "io.modelcontextprotocol/tasks"
const capabilitiesKey = "io.modelcontextprotocol/clientCapabilities"
const clientInfoKey = "io.modelcontextprotocol/clientInfo"

type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? Object.fromEntries(Object.entries(value)) : {}

/** What a client reports about itself: with each request (protocol 2026-07-28), or when it connected (earlier revisions). */
export interface ClientTraits {
  readonly name: string
  readonly canElicit: boolean
  /** Whether it speaks the revision 2026-07-28 or a later one. */
  readonly isModern: boolean
  /** Whether the request names the extension. Earlier revisions do not know it. */
  readonly wantsTask: boolean
}

const maxNameChars = 100

const cleanName = (name: unknown): string =>
  typeof name === "string"
    ? name
        .replaceAll(/[^\x20-\x7E]/g, "")
        .trim()
        .slice(0, maxNameChars)
    : ""

/** Whether the client can show forms: it names them, or sends an empty object, as before modes existed. */
const showsForms = (elicitation: unknown): boolean => {
  if (typeof elicitation !== "object" || elicitation === null) return false
  return "form" in elicitation || Object.keys(elicitation).length === 0
}

export const clientTraits = (mcp: McpServer, { mcpReq }: ServerContext): ClientTraits => {
  const envelope = fieldsOf(mcpReq.envelope)
  const isModern = Object.hasOwn(envelope, capabilitiesKey)
  const capabilities = fieldsOf(isModern ? envelope[capabilitiesKey] : mcp.server.getClientCapabilities())
  const info = fieldsOf(isModern ? envelope[clientInfoKey] : mcp.server.getClientVersion())
  return {
    name: cleanName(info["name"]) || "mcp client",
    isModern,
    canElicit: showsForms(capabilities["elicitation"]),
    wantsTask: isModern && Object.hasOwn(fieldsOf(capabilities["extensions"]), tasksExtension),
  }
}

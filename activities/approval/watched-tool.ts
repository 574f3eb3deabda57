import { createHash } from "node:crypto"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { isRecord } from "../../domain/text/is-record.ts"
import { startOf } from "../../domain/text/foreign/well-formed.ts"
import { mcpServerOf } from "../../domain/tools/tool-names.ts"
import type { WatchedFile } from "../../tools/preview/preview-change.ts"
import type { Tool } from "../../tools/tool.ts"
import type { AgentDependencies } from "../agent-dependencies.ts"

/** Longer definitions are compared as a whole, and shown in part. */
const maxStored = 64_000

/** Returns whether a call is made by an MCP server, which can describe the tool otherwise by the time the call runs. */
export const isForeignTool = (name: string): boolean => mcpServerOf(name) !== undefined

/** Returns how the server of a tool describes it, to notice later that it describes it otherwise; undefined if it does not describe it. */
export const watchTool = (tool: Pick<Tool, "name" | "definition"> | undefined): WatchedFile | undefined => {
  const definition = tool?.definition?.()
  if (tool === undefined || definition === undefined) return undefined
  const sha256 = createHash("sha256").update(`${tool.name}\n${definition}`).digest("hex")
  return { path: tool.name, real: startOf(definition, maxStored), sha256 }
}

/**
 * Returns how the server of a tool describes it; undefined if it has never listed it.
 * @param options `isFresh`: the server lists its tools again; otherwise, its last list counts if it reported no change
 */
export const watchForeignTool = async (
  { mcp }: Pick<AgentDependencies, "mcp">,
  snapshot: RunSnapshot,
  name: string,
  options?: { readonly isFresh: boolean },
): Promise<WatchedFile | undefined> => {
  const { tools } = await mcp.tools(snapshot, [name], options)
  return watchTool(tools.find((tool) => tool.name === name))
}

const words: Readonly<Record<string, string>> = {
  title: "title",
  description: "description",
  inputSchema: "input schema",
  annotations: "annotations",
}

const partsOf = (definition: string): Readonly<Record<string, unknown>> => {
  try {
    const parts: unknown = JSON.parse(definition)
    return isRecord(parts) ? parts : {}
  } catch {
    return {}
  }
}

/** Returns how the description of a tool differs from what people were shown; undefined if it does not. */
export const toolChange = (shown: WatchedFile | null, now: WatchedFile | undefined): string | undefined => {
  if (now === undefined) return "its MCP server no longer lists the tool"
  if (shown === null || shown.path !== now.path) return "its MCP server had not described the tool when you were asked"
  if (shown.sha256 === now.sha256) return undefined
  const [before, after] = [partsOf(shown.real), partsOf(now.real)]
  const changed = Object.keys(words).filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]))
  const what = changed.length === 0 ? "its definition" : `its ${changed.map((key) => words[key]).join(", its ")}`
  return `its MCP server describes the tool otherwise than when you were asked: ${what} changed`
}

import type { ToolSpec } from "./model-provider.ts"
import { toWireName } from "./wire-name.ts"

/** A tool with a name that the provider accepts, and a schema whose top level is an object with `properties`. */
export interface WireTool {
  readonly name: string
  readonly description: string
  readonly schema: Record<string, unknown> & { type: "object"; properties: unknown }
}

export interface WireTools {
  readonly tools: readonly WireTool[]
  /** Returns a name that the provider accepts, for a tool that is offered now or only in the transcript. */
  readonly toWire: (name: string) => string
  /** Returns Adjutant's name of a tool that a model named. */
  readonly fromWire: (wireName: string) => string
}

/**
 * Renames tools for the provider and back. MCP allows names that providers refuse: with dots and slashes, and up to 128 characters. Of tools with the
 * same name, the first is offered.
 */
export const toWireTools = (specs: readonly ToolSpec[]): WireTools => {
  const byWireName = new Map<string, ToolSpec>()
  for (const spec of specs) {
    const wireName = toWireName(spec.name)
    if (!byWireName.has(wireName)) byWireName.set(wireName, spec)
  }
  return {
    tools: [...byWireName].map(([name, { description, inputSchema }]) => ({
      name,
      description,
      schema: { properties: {}, ...inputSchema, type: "object" },
    })),
    toWire: toWireName,
    fromWire: (wireName) => byWireName.get(wireName)?.name ?? wireName,
  }
}

import type { ToolSpec } from "./model-provider.ts"
import { firstFreeName, maxWireNameLength, toWireName } from "./wire-name.ts"

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

/** Renames tools for the provider and back. MCP allows names that providers refuse: with dots and slashes, and up to 128 characters. */
export const toWireTools = (specs: readonly ToolSpec[]): WireTools => {
  const toWire = new Map<string, string>()
  const fromWire = new Map<string, string>()
  for (const { name } of specs) {
    const clean = toWireName(name)
    const wireName = firstFreeName(clean, fromWire, (copy) => `${clean.slice(0, maxWireNameLength - 4)}_${copy}`)
    toWire.set(name, wireName)
    fromWire.set(wireName, name)
  }
  const nameOf = (name: string) => toWire.get(name) ?? toWireName(name)
  return {
    tools: specs.map((spec) => ({
      name: nameOf(spec.name),
      description: spec.description,
      schema: { properties: {}, ...spec.inputSchema, type: "object" },
    })),
    toWire: nameOf,
    fromWire: (wireName) => fromWire.get(wireName) ?? wireName,
  }
}

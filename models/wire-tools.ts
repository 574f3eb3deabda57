import type { ToolSpec } from "./model-provider.ts"
import { firstFreeName, maxWireNameLength, toWireName } from "./wire-name.ts"

/** A tool under the name that the wire allows, with a schema whose top is an object with `properties`. */
export interface WireTool {
  readonly name: string
  readonly description: string
  readonly schema: Record<string, unknown> & { type: "object"; properties: unknown }
}

export interface WireTools {
  readonly tools: readonly WireTool[]
  /** Name of a tool, offered now or only in the transcript, as the wire allows it. */
  readonly toWire: (name: string) => string
  /** Name that a model used, as Adjutant knows it. */
  readonly fromWire: (wireName: string) => string
}

/** MCP allows tool names (dots, slashes, 128 characters) that providers refuse: those are renamed on the wire and back. */
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

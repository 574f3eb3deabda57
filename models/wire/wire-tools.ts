import type { ToolCall } from "../../contracts/message.ts"
import type { ToolSpec } from "../model-provider.ts"
import { callToolName } from "../../domain/tools/tool-names.ts"
import { toWireName } from "./wire-name.ts"
import { renameKeys, toWireSchema, type WireSchema } from "./wire-schema.ts"

/** A tool with a name and a schema that every provider accepts. */
export interface WireTool {
  readonly name: string
  readonly description: string
  readonly schema: WireSchema["schema"]
}

/** Returns a call with another name and other keys in its arguments. */
export type TranslateCall = (call: ToolCall) => ToolCall

export interface WireTools {
  readonly tools: readonly WireTool[]
  /** Returns a call as the provider accepts it, also one of a tool that is only in the transcript. */
  readonly toWire: TranslateCall
  /** Returns a call of a model with Adjutant's name of the tool, and the tool's own keys. */
  readonly fromWire: TranslateCall
}

interface Fitted {
  readonly spec: ToolSpec
  readonly wire: WireSchema
  readonly ownKeys: ReadonlyMap<string, string>
}

/** The same for every step of a run: tools are offered as the objects that were made once. */
const fittedSchemas = new WeakMap<ToolSpec["inputSchema"], Omit<Fitted, "spec">>()

const fit = (spec: ToolSpec): Fitted => {
  const known = fittedSchemas.get(spec.inputSchema)
  if (known !== undefined) return { spec, ...known }
  const wire = toWireSchema(spec.inputSchema)
  const made = { wire, ownKeys: new Map([...wire.keys].map(([own, key]) => [key, own])) }
  fittedSchemas.set(spec.inputSchema, made)
  return { spec, ...made }
}

/**
 * Makes tools acceptable to a provider, and translates calls both ways. MCP allows names, keys and schemas that providers refuse. Of tools with the same
 * name, the first is offered.
 */
export const toWireTools = (specs: readonly ToolSpec[]): WireTools => {
  const byWireName = new Map<string, Fitted>()
  for (const spec of specs) {
    const wireName = toWireName(spec.name)
    if (!byWireName.has(wireName)) byWireName.set(wireName, fit(spec))
  }
  return {
    tools: [...byWireName].map(([name, { spec, wire }]) => ({
      name,
      description: spec.description,
      schema: wire.schema,
    })),
    toWire: (call) => {
      if (call.by_call_tool === true)
        return { ...call, name: callToolName, arguments: { name: call.name, arguments: call.arguments } }
      const name = toWireName(call.name)
      const keys = byWireName.get(name)?.wire.keys
      return { ...call, name, ...(keys === undefined ? {} : { arguments: renameKeys(call.arguments, keys) }) }
    },
    fromWire: (call) => {
      const tool = byWireName.get(call.name)
      if (tool === undefined) return call
      return { ...call, name: tool.spec.name, arguments: renameKeys(call.arguments, tool.ownKeys) }
    },
  }
}

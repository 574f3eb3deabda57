import { firstFreeName } from "./wire-name.ts"
import type { ToolCall } from "../contracts/message.ts"
import { isRecord } from "../domain/text/is-record.ts"

/** A tool call as a provider streamed it: `rawArguments` is the model's JSON text, whatever it holds. */
export interface ProposedCall {
  readonly id: string | undefined
  readonly name: string
  readonly rawArguments: string
}

/**
 * The calls of one answer as the transcript keeps them. Arguments that are not a JSON object become `null` with the text kept; ids
 * that repeat get `~2`, `~3`; missing ids are minted from `turn` (1-based, counts the assistant messages), so that a retry mints the same.
 */
export const parseToolCalls = (proposed: readonly ProposedCall[], turn: number): ToolCall[] => {
  const taken = new Set<string>()
  return proposed.map((call, index) => {
    const wanted = call.id || `call_${turn}_${index + 1}`
    const id = firstFreeName(wanted, taken, (copy) => `${wanted}~${copy}`)
    taken.add(id)
    return { id, name: call.name || "unnamed_tool", ...parseToolArguments(call.rawArguments) }
  })
}

/** Arguments of one call. No text at all counts as `{}`: models write that for tools without parameters. */
export const parseToolArguments = (raw: string): Pick<ToolCall, "arguments" | "raw_arguments"> => {
  if (raw.trim() === "") return { arguments: {} }
  try {
    const parsed: unknown = JSON.parse(raw)
    if (isRecord(parsed)) return { arguments: parsed }
  } catch {
    // The text is kept for the model to see what it wrote.
  }
  return { arguments: null, raw_arguments: raw }
}

/** The JSON text of a call's arguments for providers that take text: the model's own where it could not be parsed. */
export const toRawArguments = (call: ToolCall): string =>
  call.arguments === null ? (call.raw_arguments ?? "{}") : JSON.stringify(call.arguments)

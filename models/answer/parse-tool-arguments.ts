import { parseJson } from "../../domain/text/json/parse-json.ts"
import { firstFreeName } from "../../domain/tools/first-free-name.ts"
import type { ToolCall } from "../../contracts/message.ts"
import { isRecord } from "../../domain/text/is-record.ts"

/** A tool call as the provider streamed it. `rawArguments` is the model's text, which may not be valid JSON. */
export interface StreamedCall {
  readonly id: string | undefined
  readonly name: string
  readonly rawArguments: string
}

/**
 * Returns the calls of one answer for the transcript. Arguments that are not a JSON object become `null`, and their text is stored. Repeated ids
 * get `~2`, `~3`. Missing ids are derived from `turn` (the number of the assistant message, counted from 1), so that a retry has the same ids. Empty
 * arguments of an answer without a normal end are missing, not empty.
 */
export const parseToolCalls = (proposed: readonly StreamedCall[], turn: number, isComplete: boolean): ToolCall[] => {
  const taken = new Set<string>()
  return proposed.map((call, index) => {
    const wanted = call.id || `call_${turn}_${index + 1}`
    const id = firstFreeName(wanted, taken, (copy) => `${wanted}~${copy}`)
    taken.add(id)
    return { id, name: call.name || "unnamed_tool", ...parseToolArguments(call.rawArguments, isComplete) }
  })
}

/**
 * Parses the arguments of one call. An empty text of a complete answer counts as `{}`: models write that for tools without parameters. Servers also send
 * the object encoded twice, inside a fence, or after an empty one; that is read, since it can mean nothing else.
 */
export const parseToolArguments = (raw: string, isComplete: boolean): Pick<ToolCall, "arguments" | "raw_arguments"> => {
  if (raw.trim() === "" && isComplete) return { arguments: {} }
  for (const read of encodings) {
    const parsed = parsedOrUndefined(read(raw))
    if (isRecord(parsed)) return { arguments: parsed }
  }
  // The text is stored, so that the model sees what it wrote.
  return { arguments: null, raw_arguments: raw }
}

const parsedOrUndefined = (text: string | undefined): unknown => {
  try {
    return text === undefined ? undefined : parseJson(text)
  } catch {
    return undefined
  }
}

/** The ways in which the text of an object is found. */
const encodings: readonly ((raw: string) => string | undefined)[] = [
  (raw) => raw,
  (raw) => (raw.trimStart().startsWith('"') ? encodedText(raw) : undefined),
  (raw) => fencedText(raw.trim()),
  (raw) => /^\s*\{\s*\}(\s*\{[^]*)$/.exec(raw)?.[1],
]

const fence = "```"

const fencedText = (text: string): string | undefined =>
  text.startsWith(fence) && text.endsWith(fence) && text.length >= 2 * fence.length
    ? text.slice(fence.length, -fence.length).replace(/^json\b/i, "")
    : undefined

const encodedText = (raw: string): string | undefined => {
  const parsed = parsedOrUndefined(raw)
  return typeof parsed === "string" ? parsed : undefined
}

/**
 * Returns a call's arguments as JSON text for providers that require text; arguments that could not be parsed are returned as the model wrote them.
 */
export const toRawArguments = (call: ToolCall): string =>
  call.arguments === null ? call.raw_arguments || "{}" : JSON.stringify(call.arguments)

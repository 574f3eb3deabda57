import type { AssistantMessage, Message } from "../../contracts/message.ts"
import type { Redact } from "../text/redact.ts"
import type { Attributes } from "./span.ts"

/** A longer text is cut: receivers refuse large spans. */
const mostCharacters = 16_000

/** Returns the texts of a run for its spans. */
export interface SpanContents {
  /** What a model call got since the call before it, and what it answered. */
  readonly ofCall: (answer: AssistantMessage, before: readonly Message[]) => Attributes
  readonly ofTool: (args: unknown, result: string) => Attributes
}

type Part = Readonly<Record<string, unknown>>

/** Returns what makes the texts of spans, redacted and in the form of the GenAI conventions: messages with a role and parts. */
export const createSpanContents = (redact: Redact): SpanContents => {
  const clean = (text: string): string => redact(text).slice(0, mostCharacters)
  const json = (value: unknown): string => clean(JSON.stringify(value) ?? "")
  const partsOf = (message: Message): readonly Part[] => {
    if (message.role === "user") return [{ type: "text", content: clean(message.text) }]
    if (message.role === "tool")
      return [{ type: "tool_call_response", id: message.call_id, response: clean(message.content) }]
    return message.parts.flatMap((part): readonly Part[] => {
      if (part.type === "text" || part.type === "reasoning") return [{ type: part.type, content: clean(part.text) }]
      if (part.type !== "tool_call") return []
      return [{ type: "tool_call", id: part.call.id, name: part.call.name, arguments: json(part.call.arguments) }]
    })
  }
  const messageOf = (message: Message) => ({ role: message.role, parts: partsOf(message) })
  return {
    ofCall: (answer, before) => ({
      "gen_ai.input.messages": JSON.stringify(before.map(messageOf)),
      "gen_ai.output.messages": JSON.stringify([{ ...messageOf(answer), finish_reason: answer.stop }]),
    }),
    ofTool: (args, result) => ({ "gen_ai.tool.call.arguments": json(args), "gen_ai.tool.call.result": clean(result) }),
  }
}

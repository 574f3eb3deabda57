import type { ContentBlockParam, MessageParam, ToolUseBlockParam } from "@anthropic-ai/sdk/resources/messages"
import type { Message, ToolCall, ToolOutcome } from "../../contracts/message.ts"
import { type AskedModel, isOwnMessage, toTurns, type Turn } from "../transcript-turns.ts"

/**
 * The transcript as Messages API content, without cache marks. Thinking and other opaque blocks go back untouched to the model that
 * made them and to no other.
 */
export const toAnthropicMessages = (
  messages: readonly Message[],
  asked: AskedModel,
  toWireName: (name: string) => string,
): MessageParam[] => {
  const turns = toTurns(messages)
  const wire: MessageParam[] = []
  for (const turn of turns) {
    const content = turn.role === "user" ? userContent(turn) : assistantContent(turn, asked, toWireName)
    if (content.length > 0) wire.push({ role: turn.role, content })
  }
  const last = turns.at(-1)
  const isPaused = last?.role === "assistant" && last.message.stop === "pause_turn"
  if (wire.at(-1)?.role !== "user" && !isPaused)
    wire.push({ role: "user", content: [{ type: "text", text: "Continue." }] })
  return wire
}

const userContent = (turn: Extract<Turn, { role: "user" }>): ContentBlockParam[] => [
  ...turn.results.map((result): ContentBlockParam => ({
    type: "tool_result",
    tool_use_id: result.wireId,
    content: result.content,
    ...(isFailure(result.outcome) ? { is_error: true } : {}),
  })),
  ...turn.texts.map((text): ContentBlockParam => ({ type: "text", text })),
]

/** A custom result is a person's answer in the tool's place, not a failure of it. */
const isFailure = (outcome: ToolOutcome) => outcome !== "ok" && outcome !== "custom"

const assistantContent = (
  { message, wireIds }: Extract<Turn, { role: "assistant" }>,
  asked: AskedModel,
  toWireName: (name: string) => string,
): ContentBlockParam[] => {
  const own = isOwnMessage(message, asked)
  const blocks = message.parts.flatMap((part): ContentBlockParam[] => {
    if (part.type === "text") return part.text.trim() === "" ? [] : [{ type: "text", text: part.text }]
    if (part.type === "tool_call")
      return [toToolUse(part.call, wireIds.get(part.call.id) ?? part.call.id, toWireName(part.call.name))]
    return own && isReturnable(part.opaque) ? [part.opaque] : []
  })
  // A message may not end with thinking; one that was cut there has nothing to lose.
  while (blocks.length > 0 && isThinking(blocks.at(-1))) blocks.pop()
  return blocks
}

const toToolUse = (call: ToolCall, id: string, name: string): ToolUseBlockParam => ({
  type: "tool_use",
  id,
  name,
  input: call.arguments ?? { INVALID_JSON: call.raw_arguments ?? "" },
})

const isThinking = (block: ContentBlockParam | undefined) =>
  block?.type === "thinking" || block?.type === "redacted_thinking"

/** Opaque values come from this provider's own answers; a thinking block that was cut before its signature would be refused. */
const isReturnable = (opaque: unknown): opaque is ContentBlockParam => {
  if (typeof opaque !== "object" || opaque === null || !("type" in opaque)) return false
  return opaque.type !== "thinking" || ("signature" in opaque && opaque.signature !== "")
}

/** Whether the tool loop that goes on now began without thinking, so that an older model refuses to think in it. */
export const isLoopWithoutThinking = (wire: readonly MessageParam[]): boolean => {
  const last = wire.findLast((message) => message.role === "assistant")?.content
  if (!Array.isArray(last) || !last.some((block) => block.type === "tool_use")) return false
  return !last.some((block) => isThinking(block))
}

import type {
  ContentBlockParam,
  DocumentBlockParam,
  ImageBlockParam,
  MessageParam,
  ToolResultBlockParam,
  ToolUseBlockParam,
} from "@anthropic-ai/sdk/resources/messages"
import type { ToolCall, ToolOutcome } from "../../contracts/message.ts"
import {
  type AskedModel,
  isOwnMessage,
  type SentMessages,
  toTurns,
  type WireTurn,
  type TurnMedia,
  type TurnResult,
} from "../wire/transcript-turns.ts"
import type { TranslateCall } from "../wire/wire-tools.ts"

/**
 * Returns the transcript as Messages API content, without cache marks. Thinking and other opaque blocks are sent unchanged to the model that
 * produced them, and to no other.
 */
export const toAnthropicMessages = (sent: SentMessages, asked: AskedModel, toWire: TranslateCall): MessageParam[] => {
  const turns = toTurns(sent, asked)
  const wire: MessageParam[] = []
  for (const turn of turns) {
    const content = turn.role === "user" ? userContent(turn) : assistantContent(turn, asked, toWire)
    if (content.length > 0) wire.push({ role: turn.role, content })
  }
  const last = turns.at(-1)
  const isPaused = last?.role === "assistant" && last.message.stop === "pause_turn"
  if (wire.at(-1)?.role !== "user" && !isPaused)
    wire.push({ role: "user", content: [{ type: "text", text: "Continue." }] })
  return wire
}

const userContent = (turn: Extract<WireTurn, { role: "user" }>): ContentBlockParam[] => [
  ...turn.results.map((result): ContentBlockParam => ({
    type: "tool_result",
    tool_use_id: result.wireId,
    content: resultContent(result),
    ...(isFailure(result.outcome) ? { is_error: true } : {}),
  })),
  ...turn.texts.map((text): ContentBlockParam => ({ type: "text", text })),
]

/** Returns a text alone as a string, as the API has it without images. */
const resultContent = ({ content, media }: TurnResult): ToolResultBlockParam["content"] =>
  media.length === 0 ? content : [{ type: "text", text: content }, ...media.map(toBlock)]

const toBlock = ({ type, data }: TurnMedia): ImageBlockParam | DocumentBlockParam =>
  type === "application/pdf"
    ? { type: "document", source: { type: "base64", media_type: type, data } }
    : { type: "image", source: { type: "base64", media_type: type, data } }

/** Whether a call failed. A custom result is a person's answer in place of the tool's, not a failure. */
const isFailure = (outcome: ToolOutcome) => outcome !== "ok" && outcome !== "custom"

const assistantContent = (
  { message, wireIds }: Extract<WireTurn, { role: "assistant" }>,
  asked: AskedModel,
  toWire: TranslateCall,
): ContentBlockParam[] => {
  const own = isOwnMessage(message, asked)
  const blocks = message.parts.flatMap((part): ContentBlockParam[] => {
    if (part.type === "text") return part.text.trim() === "" ? [] : [{ type: "text", text: part.text }]
    if (part.type === "tool_call") return [toToolUse(toWire(part.call), wireIds.get(part.call.id) ?? part.call.id)]
    return own && isReturnable(part.opaque) ? [part.opaque] : []
  })
  // The API refuses a message that ends with thinking. Only a message that was cut ends like this.
  while (blocks.length > 0 && isThinking(blocks.at(-1))) blocks.pop()
  return blocks
}

const toToolUse = (call: ToolCall, id: string): ToolUseBlockParam => ({
  type: "tool_use",
  id,
  name: call.name,
  input: call.arguments ?? { INVALID_JSON: call.raw_arguments ?? "" },
})

const isThinking = (block: ContentBlockParam | undefined) =>
  block?.type === "thinking" || block?.type === "redacted_thinking"

/** Whether an opaque part can be sent back. The provider refuses a thinking block that was cut before its signature. */
const isReturnable = (opaque: unknown): opaque is ContentBlockParam => {
  if (typeof opaque !== "object" || opaque === null || !("type" in opaque)) return false
  return opaque.type !== "thinking" || ("signature" in opaque && opaque.signature !== "")
}

/** Returns whether the current tool loop started without thinking. Older models cannot start thinking inside such a loop. */
export const isLoopWithoutThinking = (wire: readonly MessageParam[]): boolean => {
  const last = wire.findLast((message) => message.role === "assistant")?.content
  if (!Array.isArray(last) || !last.some((block) => block.type === "tool_use")) return false
  return !last.some((block) => isThinking(block))
}

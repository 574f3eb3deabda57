import type { ChatCompletionAssistantMessageParam, ChatCompletionMessageParam } from "openai/resources/chat/completions"
import type { Message } from "../../contracts/message.ts"
import { isRecord } from "../../domain/text/is-record.ts"
import { toRawArguments } from "../parse-tool-arguments.ts"
import { type AskedModel, isOwnMessage, toTurns, type Turn } from "../transcript-turns.ts"

/** The field in which a server sent its reasoning. Some servers refuse a tool loop if its reasoning is not sent back in that field. */
export type ReasoningField = "reasoning_content" | "reasoning"
export type ReasoningMark = { readonly field: ReasoningField }

/** Returns the prompt as Chat Completions messages. Reasoning is sent back only to the model that wrote it, and only within the current tool loop. */
export const toChatMessages = (
  prompt: { readonly systemPrompt: string; readonly messages: readonly Message[] },
  asked: AskedModel,
  toWireName: (name: string) => string,
): ChatCompletionMessageParam[] => {
  const turns = toTurns(prompt.messages)
  const loopStart = turns.findLastIndex((turn) => turn.role === "user" && turn.texts.length > 0)
  const system: ChatCompletionMessageParam[] =
    prompt.systemPrompt.trim() === "" ? [] : [{ role: "system", content: prompt.systemPrompt }]
  const wire = turns.flatMap((turn, index) => {
    if (turn.role === "user") return userMessages(turn)
    const own = index > loopStart && isOwnMessage(turn.message, asked)
    return assistantMessage(turn, own, toWireName)
  })
  return [...system, ...wire]
}

/** All texts are sent as one user message, because several chat templates require alternating roles. */
const userMessages = (turn: Extract<Turn, { role: "user" }>): ChatCompletionMessageParam[] => [
  ...turn.results.map((result): ChatCompletionMessageParam => ({
    role: "tool",
    tool_call_id: result.wireId,
    content: result.content,
  })),
  ...(turn.texts.length > 0 ? [{ role: "user" as const, content: turn.texts.join("\n\n") }] : []),
]

const assistantMessage = (
  { message, wireIds }: Extract<Turn, { role: "assistant" }>,
  withReasoning: boolean,
  toWireName: (name: string) => string,
): ChatCompletionAssistantMessageParam[] => {
  const text = message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("")
  const toolCalls = message.parts.flatMap((part) =>
    part.type === "tool_call"
      ? [
          {
            id: wireIds.get(part.call.id) ?? part.call.id,
            type: "function" as const,
            // Servers parse the arguments to fill their template. Arguments that are not JSON would make the whole transcript fail.
            function: { name: toWireName(part.call.name), arguments: toValidArguments(part.call) },
          },
        ]
      : [],
  )
  if (text === "" && toolCalls.length === 0) return []
  const reasoning = withReasoning && toolCalls.length > 0 ? reasoningOf(message) : {}
  return [
    {
      role: "assistant",
      content: text === "" ? null : text,
      ...(toolCalls.length > 0 ? { tool_calls: toolCalls } : {}),
      ...reasoning,
    },
  ]
}

const toValidArguments = (call: Parameters<typeof toRawArguments>[0]): string =>
  call.arguments === null ? JSON.stringify({ INVALID_JSON: call.raw_arguments ?? "" }) : toRawArguments(call)

const reasoningOf = (message: Extract<Turn, { role: "assistant" }>["message"]): Record<string, string> => {
  const fields: Record<string, string> = {}
  for (const part of message.parts) {
    if (part.type !== "reasoning" || !isReasoningMark(part.opaque)) continue
    fields[part.opaque.field] = (fields[part.opaque.field] ?? "") + part.text
  }
  return fields
}

const isReasoningMark = (opaque: unknown): opaque is ReasoningMark =>
  isRecord(opaque) && (opaque["field"] === "reasoning_content" || opaque["field"] === "reasoning")

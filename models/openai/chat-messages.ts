import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionContentPart,
  ChatCompletionMessageParam,
} from "openai/resources/chat/completions"
import type { Dialect } from "../../contracts/config/config-models.ts"
import type { AssistantMessage } from "../../contracts/message.ts"
import type { ModelSpec } from "../../contracts/run-snapshot.ts"
import { isRecord } from "../../domain/text/is-record.ts"
import type { ChatCallMark } from "./chat-calls.ts"
import type { ThoughtMark } from "./chat-content.ts"
import {
  type AskedModel,
  dataUrl,
  isOwnMessage,
  pdfName,
  type SentMessages,
  toTurns,
  type WireTurn,
  type TurnMedia,
} from "../wire/transcript-turns.ts"
import type { OpaqueFields } from "./opaque-fields.ts"
import { toRawArguments } from "../answer/parse-tool-arguments.ts"
import type { TranslateCall } from "../wire/wire-tools.ts"

/** The field in which a server sent its reasoning. Some servers refuse a tool loop if its reasoning is not sent back in that field. */
export type ReasoningField = "reasoning_content" | "reasoning"
export type ReasoningMark = { readonly field: ReasoningField }

/** The fields of an answer that only its server understands. */
export interface ChatMessageMark {
  readonly type: "chat_fields"
  readonly fields: OpaqueFields
}

/**
 * Returns the prompt as Chat Completions messages. What a model wrote for itself goes back to that model only: its reasoning within the current tool loop,
 * the fields that only its server understands always.
 */
export const toChatMessages = (
  prompt: SentMessages & { readonly systemPrompt: string },
  asked: AskedModel & Pick<ModelSpec, "dialect">,
  toWire: TranslateCall,
): ChatCompletionMessageParam[] => {
  const turns = toTurns(prompt, asked)
  const loopStart = turns.findLastIndex((turn) => turn.role === "user" && turn.texts.length > 0)
  const system: ChatCompletionMessageParam[] =
    prompt.systemPrompt.trim() === ""
      ? []
      : [{ role: asked.dialect?.systemRole ?? "system", content: prompt.systemPrompt }]
  const wire = turns.flatMap((turn, index) => {
    if (turn.role === "user") return userMessages(turn)
    const isOwn = isOwnMessage(turn.message, asked)
    return assistantMessage(
      turn,
      { isOwn, isInLoop: index > loopStart, reasoningField: asked.dialect?.reasoningField },
      toWire,
    )
  })
  return [...system, ...wire]
}

/**
 * All texts are sent as one user message, because several chat templates require alternating roles. Images and PDF files are sent in it, too: a tool
 * message can only have text.
 */
const userMessages = (turn: Extract<WireTurn, { role: "user" }>): ChatCompletionMessageParam[] => [
  ...turn.results.map((result): ChatCompletionMessageParam => ({
    role: "tool",
    tool_call_id: result.wireId,
    content: result.content,
  })),
  ...userContent(turn),
]

const userContent = ({ results, texts }: Extract<WireTurn, { role: "user" }>): ChatCompletionMessageParam[] => {
  const shown = results.flatMap(({ name, media }) =>
    media.length === 0 ? [] : [{ type: "text" as const, text: `From the result of ${name}:` }, ...media.map(toPart)],
  )
  const text = texts.join("\n\n")
  if (shown.length === 0) return texts.length === 0 ? [] : [{ role: "user", content: text }]
  return [{ role: "user", content: [...shown, ...(texts.length === 0 ? [] : [{ type: "text" as const, text }])] }]
}

const toPart = (media: TurnMedia): ChatCompletionContentPart =>
  media.type === "application/pdf"
    ? { type: "file", file: { filename: pdfName, file_data: dataUrl(media) } }
    : { type: "image_url", image_url: { url: dataUrl(media) } }

/** Returns a prompt as text, without images and PDF files. */
export const promptText = (messages: readonly ChatCompletionMessageParam[]): string =>
  JSON.stringify(messages, (key, value: unknown) => (key === "image_url" || key === "file" ? "" : value))

interface OwnFields {
  /** Whether the model that is asked wrote the message. */
  readonly isOwn: boolean
  readonly isInLoop: boolean
  readonly reasoningField: Dialect["reasoningField"]
}

const assistantMessage = (
  { message, wireIds }: Extract<WireTurn, { role: "assistant" }>,
  { isOwn, isInLoop, reasoningField }: OwnFields,
  toWire: TranslateCall,
): ChatCompletionAssistantMessageParam[] => {
  const text = message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("")
  const toolCalls = message.parts.flatMap((part) =>
    part.type === "tool_call"
      ? [
          {
            ...(isOwn ? callMark(part.opaque).fields : {}),
            id: wireIds.get(part.call.id) ?? part.call.id,
            type: "function" as const,
            // Servers parse the arguments to fill their template. Arguments that are not JSON would make the whole transcript fail.
            function: {
              ...(isOwn ? callMark(part.opaque).functionFields : {}),
              name: toWire(part.call).name,
              arguments: toValidArguments(toWire(part.call)),
            },
          },
        ]
      : [],
  )
  if (text === "" && toolCalls.length === 0) return []
  const reasoning = isOwn && isInLoop && toolCalls.length > 0 ? reasoningOf(message, reasoningField) : {}
  const thoughts = isOwn && reasoningField !== "none" ? contentWithThoughts(message) : undefined
  return [
    {
      ...(isOwn ? fieldsIn(message) : {}),
      role: "assistant",
      content: thoughts ?? (text === "" ? null : text),
      ...(toolCalls.length > 0 ? { tool_calls: toolCalls } : {}),
      ...reasoning,
    },
  ]
}

const toValidArguments = (call: Parameters<typeof toRawArguments>[0]): string =>
  call.arguments === null ? JSON.stringify({ INVALID_JSON: call.raw_arguments ?? "" }) : toRawArguments(call)

const reasoningOf = (message: AssistantMessage, configured: Dialect["reasoningField"]): Record<string, string> => {
  const fields: Record<string, string> = {}
  if (configured === "none") return fields
  for (const part of message.parts) {
    if (part.type !== "reasoning" || !isReasoningMark(part.opaque)) continue
    const field = configured ?? part.opaque.field
    fields[field] = (fields[field] ?? "") + part.text
  }
  return fields
}

/**
 * Returns the content as the list in which the model sent it; undefined if it has no thoughts. Thoughts go back unchanged, because the server may have
 * signed them.
 */
const contentWithThoughts = ({ parts }: AssistantMessage): ChatCompletionAssistantMessageParam["content"] => {
  if (!parts.some((part) => part.type === "reasoning" && isThoughtMark(part.opaque))) return undefined
  const sent = parts.flatMap((part): readonly OpaqueFields[] => {
    if (part.type === "text") return part.text === "" ? [] : [{ type: "text", text: part.text }]
    return part.type === "reasoning" && isThoughtMark(part.opaque) ? [part.opaque.part] : []
  })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the API of the server that sent them has such parts
  return sent as unknown as ChatCompletionAssistantMessageParam["content"]
}

const fieldsIn = ({ parts }: AssistantMessage): OpaqueFields =>
  Object.assign(
    {},
    ...parts.map((part) => (part.type === "opaque" && isFieldsMark(part.opaque) ? part.opaque.fields : {})),
  )

const isFieldsMark = (opaque: unknown): opaque is ChatMessageMark =>
  isRecord(opaque) && opaque["type"] === "chat_fields" && isRecord(opaque["fields"])

const noMark: ChatCallMark = { fields: {}, functionFields: {} }

const callMark = (opaque: unknown): ChatCallMark => (isCallMark(opaque) ? opaque : noMark)

const isCallMark = (opaque: unknown): opaque is ChatCallMark =>
  isRecord(opaque) && isRecord(opaque["fields"]) && isRecord(opaque["functionFields"])

const isThoughtMark = (opaque: unknown): opaque is ThoughtMark =>
  isRecord(opaque) && opaque["type"] === "chat_content" && isRecord(opaque["part"])

const isReasoningMark = (opaque: unknown): opaque is ReasoningMark =>
  isRecord(opaque) && (opaque["field"] === "reasoning_content" || opaque["field"] === "reasoning")

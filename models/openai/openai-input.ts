import type {
  ResponseFunctionCallOutputItemList,
  ResponseInputItem,
  ResponseOutputMessage,
  ResponseReasoningItem,
} from "openai/resources/responses/responses"
import type { AssistantPart } from "../../contracts/message.ts"
import {
  type AskedModel,
  dataUrl,
  isOwnMessage,
  pdfName,
  type SentMessages,
  toTurns,
  type WireTurn,
  type TurnMedia,
  type TurnResult,
} from "../wire/transcript-turns.ts"
import { toRawArguments } from "../answer/parse-tool-arguments.ts"
import type { TranslateCall } from "../wire/wire-tools.ts"

/** The fields of an output message besides its text. They are stored as an opaque part directly before the text. */
export type MessageMark = Pick<ResponseOutputMessage, "id" | "phase"> & { readonly type: "message_mark" }

/**
 * Returns the transcript as Responses API input. Items of the same model are sent back unchanged, since nothing is stored at the provider:
 * reasoning encrypted, messages with their phase. Another model gets text and calls only.
 */
export const toOpenAiInput = (sent: SentMessages, asked: AskedModel, toWire: TranslateCall): ResponseInputItem[] => {
  return toTurns(sent, asked).flatMap((turn): ResponseInputItem[] =>
    turn.role === "assistant" ? assistantItems(turn, asked, toWire) : userItems(turn),
  )
}

const userItems = (turn: Extract<WireTurn, { role: "user" }>): ResponseInputItem[] => [
  ...turn.results.map((result): ResponseInputItem => ({
    type: "function_call_output",
    call_id: result.wireId,
    output: resultOutput(result),
  })),
  ...turn.texts.map((text): ResponseInputItem => ({ role: "user", content: text })),
]

const resultOutput = ({ content, media }: TurnResult): string | ResponseFunctionCallOutputItemList =>
  media.length === 0 ? content : [{ type: "input_text", text: content }, ...media.map(toInput)]

const toInput = (media: TurnMedia): ResponseFunctionCallOutputItemList[number] =>
  media.type === "application/pdf"
    ? { type: "input_file", filename: pdfName, file_data: dataUrl(media) }
    : { type: "input_image", image_url: dataUrl(media), detail: "auto" }

const assistantItems = (
  { message, wireIds }: Extract<WireTurn, { role: "assistant" }>,
  asked: AskedModel,
  toWire: TranslateCall,
): ResponseInputItem[] => {
  const own = isOwnMessage(message, asked)
  const items: ResponseInputItem[] = []
  // The API refuses reasoning without the item that follows it, so that it is added together with that item.
  let waiting: ResponseInputItem[] = []
  let mark: MessageMark | undefined
  const push = (item: ResponseInputItem) => {
    items.push(...waiting, item)
    waiting = []
  }
  for (const part of message.parts) {
    if (part.type === "text") {
      if (part.text !== "") push(textItem(part, mark))
      mark = undefined
    } else if (part.type === "tool_call") {
      const id = wireIds.get(part.call.id) ?? part.call.id
      const call = toWire(part.call)
      const itemId = own && isItemId(part.opaque) ? { id: part.opaque.id } : {}
      push({ type: "function_call", call_id: id, name: call.name, arguments: toRawArguments(call), ...itemId })
    } else if (own && isReasoningItem(part.opaque)) waiting.push(part.opaque)
    else if (own && isMessageMark(part.opaque)) mark = part.opaque
  }
  return items
}

const textItem = (part: Extract<AssistantPart, { type: "text" }>, mark: MessageMark | undefined): ResponseInputItem =>
  mark
    ? {
        type: "message",
        role: "assistant",
        id: mark.id,
        status: "completed",
        content: [{ type: "output_text", text: part.text, annotations: [] }],
        ...(mark.phase ? { phase: mark.phase } : {}),
      }
    : { role: "assistant", content: part.text }

const isItemId = (opaque: unknown): opaque is { readonly id: string } =>
  typeof opaque === "object" && opaque !== null && "id" in opaque && typeof opaque.id === "string"

/** Returns a reasoning item only with its encrypted content: the provider does not store the item that an id alone refers to. */
const isReasoningItem = (opaque: unknown): opaque is ResponseReasoningItem =>
  isItemId(opaque) &&
  "type" in opaque &&
  opaque.type === "reasoning" &&
  "encrypted_content" in opaque &&
  typeof opaque.encrypted_content === "string"

const isMessageMark = (opaque: unknown): opaque is MessageMark =>
  isItemId(opaque) && "type" in opaque && opaque.type === "message_mark"

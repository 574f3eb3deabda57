import type { AssistantMessage, MediaType, Message, ToolMessage } from "../../contracts/message.ts"
import type { ModelSpec } from "../../contracts/run-snapshot.ts"
import { toolCallsOf } from "../../domain/transcript/tool-calls.ts"
import type { ModelRequest } from "../model-provider.ts"
import { wireCallIds } from "./wire-name.ts"

/** An image or a PDF with its bytes in base64. */
export interface TurnMedia {
  readonly type: MediaType
  readonly data: string
}

/** A tool result with the id that its call has in the request. */
export type TurnResult = Pick<ToolMessage, "name" | "outcome" | "content"> & {
  readonly wireId: string
  readonly media: readonly TurnMedia[]
}

/** What a request contains of a transcript. */
export type SentMessages = Pick<ModelRequest, "messages" | "media">

/** A part of a transcript in the form that providers require: an assistant message, or the user side between two of them, results before texts. */
export type WireTurn =
  | { readonly role: "assistant"; readonly message: AssistantMessage; readonly wireIds: ReadonlyMap<string, string> }
  | { readonly role: "user"; readonly results: readonly TurnResult[]; readonly texts: readonly string[] }

/**
 * Groups transcript rows into turns. Results are in the order of their calls. A call without a result gets one that says so, because providers
 * refuse a transcript with missing results.
 */
export const toTurns = ({ messages, media }: SentMessages, asked: AskedModel): WireTurn[] => {
  const turns: WireTurn[] = []
  const takenIds = new Set<string>()
  let assistant: Extract<WireTurn, { role: "assistant" }> | undefined
  let pending: Message[] = []
  const closeUserSide = () => {
    const side = userSide(pending, assistant, media)
    if (side.results.length > 0 || side.texts.length > 0) turns.push(side)
    pending = []
  }
  for (const message of messages) {
    if (message.role !== "assistant") {
      pending.push(message)
      continue
    }
    closeUserSide()
    assistant = { role: "assistant", message, wireIds: wireCallIds(message, takenIds, isOwnMessage(message, asked)) }
    turns.push(assistant)
  }
  closeUserSide()
  return turns
}

/** Only a result without an error can have media: Anthropic refuses others. */
const mediaOf = ({ media = [], outcome }: ToolMessage, sent: SentMessages["media"]): readonly TurnMedia[] =>
  outcome !== "ok"
    ? []
    : media.flatMap(({ id, media_type: type }) => {
        const data = sent?.get(id)
        return data === undefined ? [] : [{ type, data }]
      })

const userSide = (
  rows: readonly Message[],
  assistant: Extract<WireTurn, { role: "assistant" }> | undefined,
  sent: SentMessages["media"],
): Extract<WireTurn, { role: "user" }> => {
  const results = new Map<string, ToolMessage>()
  const texts: string[] = []
  for (const row of rows) {
    if (row.role === "user") texts.push(row.text)
    else if (row.role === "tool" && assistant?.wireIds.has(row.call_id)) results.set(row.call_id, row)
    else if (row.role === "tool") texts.push(`Result of ${row.name}: ${row.content}`)
  }
  return {
    role: "user",
    texts: texts.filter((text) => text.trim() !== ""),
    results: toolCallsOf(assistant?.message).map(({ id, name }) => {
      const row = results.get(id)
      const wireId = assistant?.wireIds.get(id) ?? id
      if (!row) return { wireId, name, outcome: "unknown", content: "No result of this call is recorded.", media: [] }
      const content = row.content.trim() === "" ? "(no output)" : row.content
      return { wireId, name, outcome: row.outcome, content, media: mediaOf(row, sent) }
    }),
  }
}

/** The model that a transcript is sent to. */
export type AskedModel = Pick<ModelSpec, "provider" | "model">

/** Returns whether a message's opaque parts can be sent to the model of this request. */
export const isOwnMessage = (message: AssistantMessage, asked: AskedModel): boolean =>
  message.provider === asked.provider && message.model === asked.model

/** Returns the number of the next assistant message, counted from 1. */
export const nextTurnNumber = (messages: readonly Message[]): number =>
  messages.filter((message) => message.role === "assistant").length + 1

/** Both APIs require the name of a file. */
export const pdfName = "document.pdf"

/** Returns content as an address that contains it. */
export const dataUrl = ({ type, data }: TurnMedia): string => `data:${type};base64,${data}`

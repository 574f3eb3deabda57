import type { AssistantPart } from "../../contracts/message.ts"
import { isRecord } from "../../domain/text/is-record.ts"
import { itemsOf, unreadable } from "../lenient.ts"
import { joinItems, type OpaqueFields } from "./opaque-fields.ts"

/** What content says. */
interface ChatText {
  readonly text: string
  readonly reasoning: string
}

/** Content that is a thought: Mistral sends thoughts in the content, and can sign them. */
export interface ThoughtMark {
  readonly type: "chat_content"
  readonly part: OpaqueFields
}

const isThought = ({ type }: OpaqueFields): boolean => type === "thinking" || type === "reasoning"

/** Assembles the content of an answer: one text, or texts and thoughts in the order in which they were sent. */
export class ChatContent {
  #pieces: readonly unknown[] = []

  /** Adds content: a text, or a list of parts. Returns what it says. Throws a `ModelError` that names the path of anything else. */
  add(content: unknown, path: string): ChatText {
    const pieces = piecesOf(content, path)
    this.#pieces = pieces.reduce<readonly unknown[]>(joinItems, this.#pieces)
    return {
      text: pieces.map((piece) => (isThought(piece) ? "" : looseText(piece))).join(""),
      reasoning: pieces.map((piece) => (isThought(piece) ? thoughtText(piece) : "")).join(""),
    }
  }

  /** Returns the texts and thoughts. */
  parts(): readonly AssistantPart[] {
    return this.#pieces.flatMap((piece): readonly AssistantPart[] => {
      if (!isRecord(piece)) return []
      if (!isThought(piece)) return [{ type: "text", text: looseText(piece) }]
      const opaque: ThoughtMark = { type: "chat_content", part: piece }
      return [{ type: "reasoning", text: thoughtText(piece), opaque }]
    })
  }
}

/** Returns the thoughts and texts of content. What has no text, such as a reference to a result, is left out: the text around it stays one text. */
const piecesOf = (content: unknown, path: string): readonly OpaqueFields[] => {
  if (content === undefined || content === null) return []
  if (Array.isArray(content)) return content.flatMap((part, index) => piecesOf(part, `${path}[${index}]`))
  if (typeof content !== "string" && !isRecord(content)) throw unreadable(path, content)
  if (isRecord(content) && isThought(content)) return [content]
  const text = typeof content === "string" ? content : looseText(content["text"] ?? content["refusal"])
  return text === "" ? [] : [{ type: "text", text }]
}

const thoughtText = ({ thinking, reasoning, text, content }: OpaqueFields): string =>
  looseText(thinking ?? reasoning ?? text ?? content)

/** Returns the text of a field that an answer can do without: a text, or what a list of parts or an object has of it. */
export const looseText = (value: unknown): string => {
  if (typeof value === "string") return value
  if (isRecord(value)) return looseText(value["text"] ?? value["content"])
  return itemsOf(value).map(looseText).join("")
}

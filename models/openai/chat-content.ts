import { isRecord } from "../../domain/text/is-record.ts"
import { itemsOf, unreadable } from "../lenient.ts"

/** What the content of a delta or message says. */
export interface ChatContent {
  readonly text: string
  readonly reasoning: string
}

const empty: ChatContent = { text: "", reasoning: "" }

/** Reads content: a text, or a list of parts, of which Mistral's can be thinking. Throws a `ModelError` that names the path of anything else. */
export const readContent = (content: unknown, path: string): ChatContent => {
  if (content === undefined || content === null) return empty
  if (typeof content === "string") return { text: content, reasoning: "" }
  if (isRecord(content)) return readPart(content)
  if (!Array.isArray(content)) throw unreadable(path, content)
  const parts = content.map((part, index) => readContent(part, `${path}[${index}]`))
  return { text: parts.map(({ text }) => text).join(""), reasoning: parts.map(({ reasoning }) => reasoning).join("") }
}

const readPart = (part: Readonly<Record<string, unknown>>): ChatContent => {
  const { type, thinking, reasoning } = part
  if (type === "thinking" || type === "reasoning")
    return { text: "", reasoning: looseText(thinking ?? reasoning ?? part["text"] ?? part["content"]) }
  return { text: looseText(part["text"] ?? part["refusal"]), reasoning: "" }
}

/** Returns the text of a field that an answer can do without: a text, or what a list of parts or an object has of it. */
export const looseText = (value: unknown): string => {
  if (typeof value === "string") return value
  if (isRecord(value)) return looseText(value["text"] ?? value["content"])
  return itemsOf(value).map(looseText).join("")
}

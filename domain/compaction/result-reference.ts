import type { ToolMessage } from "../../contracts/message.ts"
import { hasMedia, withoutMedia } from "../media/model-messages.ts"
import { startOf } from "../text/foreign/well-formed.ts"

/** Shorter results are kept: a reference to them would save nothing. */
const longCharacters = 1_000
/** What is kept of the beginning and of the end of a result that cannot be read again. */
const keptCharacters = 200

/** Tools that return the same again and change nothing. */
const readAgain: ReadonlySet<string> = new Set(["Read", "LS", "Glob", "Grep"])

const isLongText = ({ content }: ToolMessage): boolean => content.length > longCharacters

/** Returns whether a result is replaced by a reference once it is old. What a person decided stays. */
export const isLongResult = (message: ToolMessage): boolean =>
  (isLongText(message) || hasMedia(message)) && message.outcome !== "rejected" && message.outcome !== "custom"

const isLowSurrogate = (text: string, at: number): boolean => /[\uDC00-\uDFFF]/.test(text.charAt(at))

const tailOf = (text: string, length: number): string => {
  const from = Math.max(0, text.length - length)
  return text.slice(isLowSurrogate(text, from) ? from + 1 : from)
}

/** Returns the text that the model gets instead of an old long result. It depends on the result alone, so that a cached prompt stays the same. */
export const referenceText = ({ name, content }: Pick<ToolMessage, "name" | "content">): string => {
  if (readAgain.has(name))
    return `[${content.length} characters were left out to save context. Read them again with ${name} and the arguments of this call, or with narrower ones.]`
  const head = startOf(content, keptCharacters)
  const tail = tailOf(content, keptCharacters)
  const leftOut = content.length - head.length - tail.length
  return `${head}\n[${leftOut} characters were left out here to save context. Read them again with ${name} only if it is safe to repeat this call; a file that the text names can be read with Read.]\n${tail}`
}

/** Returns what the model gets instead of a long result, which it was shown before or not. */
export const referenceTo = (message: ToolMessage, wasShown: boolean): ToolMessage =>
  withoutMedia(isLongText(message) ? { ...message, content: referenceText(message) } : message, wasShown)

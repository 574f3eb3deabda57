import type { Message } from "../../contracts/message.ts"
import { textsIn } from "../text/foreign/texts-in.ts"

/** A text of a message, and of which call it is. */
export interface TextPlace {
  readonly kind: "text" | "call" | "result"
  readonly text: string
  readonly callId: string | null
  readonly tool: string | null
}

const placesOf = (message: Message): readonly TextPlace[] => {
  if (message.role === "user") return [{ kind: "text", text: message.text, callId: null, tool: null }]
  if (message.role === "tool")
    return [{ kind: "result", text: message.content, callId: message.call_id, tool: message.name }]
  return message.parts.flatMap((part): readonly TextPlace[] => {
    if (part.type === "opaque") return []
    if (part.type !== "tool_call") return [{ kind: "text", text: part.text, callId: null, tool: null }]
    const { id: callId, name: tool, arguments: args, raw_arguments: raw } = part.call
    const texts = [tool, ...textsIn(args ?? raw)]
    return texts.map((text) => ({ kind: "call", text, callId, tool }))
  })
}

const indexIn = (text: string, sought: string): number => text.toLowerCase().indexOf(sought.toLowerCase())

const before = 40
const longest = 160

/** Returns one line of a text around what is sought in it; undefined if it is not there. */
export const excerptOf = (text: string, sought: string): string | undefined => {
  const at = indexIn(text, sought)
  if (at === -1) return undefined
  const start = Math.max(0, at - before)
  const end = Math.max(start + longest, at + sought.length)
  const shown = text.slice(start, end).toWellFormed().replaceAll(/\s+/g, " ").trim()
  return `${start > 0 ? "…" : ""}${shown}${end < text.length ? "…" : ""}`
}

/** Returns where a message contains a text, in upper or lower case: one place for each call of it. */
export const findInMessage = (
  message: Message,
  sought: string,
): readonly (TextPlace & { readonly excerpt: string })[] => {
  const found = placesOf(message).flatMap((place) => {
    const excerpt = excerptOf(place.text, sought)
    return excerpt === undefined ? [] : [{ ...place, excerpt }]
  })
  return [...new Map(found.map((place) => [place.callId, place])).values()]
}

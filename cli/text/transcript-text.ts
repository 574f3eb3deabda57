import type { AssistantPart, Message } from "../../contracts/message.ts"
import type { TranscriptSource } from "../../sessions/view/transcript-row.ts"
import { noPaint, type Paint } from "../terminal/paint.ts"
import { callHeadline } from "./call-text.ts"
import { paintedMarkdown } from "./markdown-text.ts"
import { oneLine, plainText } from "../terminal/plain-text.ts"
import { startOf } from "../../domain/text/foreign/well-formed.ts"

const maxResultCharacters = 600

/** Returns a transcript for people; with `tools`, including the results of calls. */
export const transcriptText = (
  rows: readonly Pick<TranscriptSource, "message">[],
  { tools, paint = noPaint }: { readonly tools: boolean; readonly paint?: Paint },
): string =>
  rows
    .map(({ message }) => messageText(message, tools, paint))
    .filter((text) => text !== "")
    .join("\n\n")

const messageText = (message: Message, tools: boolean, paint: Paint): string => {
  switch (message.role) {
    case "user":
      return `${paint.bold(`▸ ${message.source.replace("_", " ")}`)}\n${paintedMarkdown(plainText(message.text), paint)}`
    case "assistant":
      return [
        paint.bold(`◂ ${oneLine(message.model, 80)}`),
        ...message.parts.flatMap((part) => partLines(part, paint)),
      ].join("\n")
    case "tool":
      return tools ? toolText(message) : ""
  }
}

const partLines = (part: AssistantPart, paint: Paint): readonly string[] => {
  if (part.type === "text") return part.text === "" ? [] : [paintedMarkdown(plainText(part.text), paint)]
  if (part.type === "tool_call") return [`● ${callHeadline(part.call.name, part.call.arguments)}`]
  return []
}

const toolText = (message: Extract<Message, { role: "tool" }>): string => {
  const content = plainText(message.content)
  const shown = content.length > maxResultCharacters ? `${startOf(content, maxResultCharacters)}…` : content
  return [
    `  ${oneLine(message.name, 60)} → ${message.outcome}`,
    ...shown.split("\n").map((line) => `    ${line}`),
  ].join("\n")
}

import type { AssistantPart, Message } from "../../contracts/message.ts"
import type { TranscriptSource } from "../../sessions/view/transcript-row.ts"
import { callHeadline } from "./call-text.ts"
import { oneLine, plainText } from "./plain-text.ts"
import { startOf } from "../../domain/text/foreign/well-formed.ts"

const maxResultCharacters = 600

/** Returns a transcript for people; with `tools`, including the results of calls. */
export const transcriptText = (
  rows: readonly Pick<TranscriptSource, "message">[],
  options: { readonly tools: boolean },
): string =>
  rows
    .map(({ message }) => messageText(message, options.tools))
    .filter((text) => text !== "")
    .join("\n\n")

const messageText = (message: Message, tools: boolean): string => {
  switch (message.role) {
    case "user":
      return `▸ ${message.source.replace("_", " ")}\n${plainText(message.text)}`
    case "assistant":
      return ["◂ " + oneLine(message.model, 80), ...message.parts.flatMap(partLines)].join("\n")
    case "tool":
      return tools ? toolText(message) : ""
  }
}

const partLines = (part: AssistantPart): readonly string[] => {
  if (part.type === "text") return part.text === "" ? [] : [plainText(part.text)]
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

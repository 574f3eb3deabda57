import type { AssistantPart, Message } from "../../contracts/message.ts"
import type { TranscriptSource } from "../../sessions/view/transcript-row.ts"
import { noPaint, type Paint } from "../terminal/paint.ts"
import { callHeadline } from "./call-text.ts"
import { oneLine, plainText } from "../terminal/plain-text.ts"
import { startOf } from "../../domain/text/foreign/well-formed.ts"

const paintedSpans = (line: string, paint: Paint): string =>
  line
    .replaceAll(/`[^`\n]+`/g, (code) => paint.cyan(code))
    .replaceAll(/(?<![\w*])\*\*(?=\S)([^*\n]+?)(?<=\S)\*\*(?![\w*])/g, (_, text: string) => paint.bold(text))

/** Returns Markdown in the colours of a terminal: headings and strong words are bold, and code is cyan. Without colours it is unchanged. */
const paintedMarkdown = (text: string, paint: Paint): string => {
  if (paint.bold("x") === "x") return text
  let fence: string | undefined
  return text
    .split("\n")
    .map((line) => {
      const mark = /^\s{0,3}(```+|~~~+)/.exec(line)?.[1]
      const isFence = mark !== undefined && (fence === undefined || mark.startsWith(fence))
      if (isFence) {
        fence = fence === undefined ? mark : undefined
        return paint.dim(line)
      }
      if (fence !== undefined) return paint.cyan(line)
      return /^#{1,6} /.test(line) ? paint.bold(line) : paintedSpans(line, paint)
    })
    .join("\n")
}

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

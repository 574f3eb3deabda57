import type { PendingToolCall } from "../../contracts/approval/pause.ts"
import { previewLines } from "../../domain/preview/preview-lines.ts"
import { oneLine, plainText } from "./plain-text.ts"

type Arguments = Readonly<Record<string, unknown>>

const headlineKeys = ["file_path", "path", "pattern", "command", "task", "description", "query", "url"]

const asText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

/** Returns the name of a call and its main argument on one line: `Read README.md`. */
export const callHeadline = (name: string, args: Arguments | null | undefined): string => {
  const key = headlineKeys.find((candidate) => args?.[candidate] !== undefined) ?? Object.keys(args ?? {})[0]
  const value = key === undefined ? "" : asText(args?.[key])
  return oneLine(`${name} ${value}`, 100)
}

/** Returns a pending call: its summary, id and owner on one line, and what its preview shows below. */
export const pendingCallLines = ({ id, preview }: PendingToolCall, owner = ""): readonly string[] => [
  `${oneLine(preview.summary, 300)}  (${id}${owner})`,
  ...previewLines(preview).map((line) => `  ${plainText(line)}`),
]

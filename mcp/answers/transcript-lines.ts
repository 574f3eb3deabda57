import type { Message } from "../../contracts/message.ts"
import type { MessageRow } from "../../store/store.ts"
import { redactedJson } from "./redacted-json.ts"

/** Bytes of a resource are read at once: of a longer transcript the newest rows remain, and a line says so. */
const maxChars = 4_000_000

/** Leaves out what only the provider can read, thinking included. */
const shown = (message: Message): unknown =>
  message.role === "assistant"
    ? {
        ...message,
        parts: message.parts.flatMap((part) =>
          part.type === "text" || part.type === "tool_call" ? [withoutOpaque(part)] : [],
        ),
      }
    : message

const withoutOpaque = (part: { readonly type: string }): unknown =>
  Object.fromEntries(Object.entries(part).filter(([name]) => name !== "opaque"))

/** A transcript as JSON lines, without known secrets. */
export const transcriptLines = (rows: readonly MessageRow[], redact: (text: string) => string): string => {
  const lines = rows.map((row) =>
    redactedJson({ seq: row.seq, run_id: row.runId, step: row.step, at: row.at, message: shown(row.message) }, redact),
  )
  const kept: string[] = []
  let size = 0
  for (const line of lines.toReversed()) {
    size += line.length + 1
    if (size > maxChars && kept.length > 0) break
    kept.push(line)
  }
  const omitted = lines.length - kept.length
  return [...(omitted === 0 ? [] : [JSON.stringify({ omitted_older_rows: omitted })]), ...kept.toReversed()].join("\n")
}

import type { Message } from "../../contracts/message.ts"
import { transcriptMessage } from "../../domain/transcript/transcript-message.ts"
import type { TranscriptSource } from "../../sessions/view/transcript-row.ts"
import { redactedJson } from "./redacted-json.ts"

/** A resource is sent as a whole, so that a longer transcript is cut to its newest rows, with a line that says so. */
const maxChars = 4_000_000

/** Removes content that only the provider can read, and thinking. */
const shown = (source: Message): unknown => {
  const message = transcriptMessage(source)
  return message.role === "assistant"
    ? {
        ...message,
        parts: message.parts.flatMap((part) =>
          part.type === "text" || part.type === "tool_call" ? [withoutOpaque(part)] : [],
        ),
      }
    : message
}

const withoutOpaque = (part: { readonly type: string }): unknown =>
  Object.fromEntries(Object.entries(part).filter(([name]) => name !== "opaque"))

/** Returns a transcript as JSON lines, without known secrets. */
export const transcriptLines = (rows: readonly TranscriptSource[], redact: (text: string) => string): string => {
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

import type { TranscriptRowBody } from "../contracts/http/sessions.ts"
import type { AssistantPart, Message } from "../contracts/message.ts"
import type { MessageRow } from "../store/store.ts"

/** Text by text, so that no secret can break the JSON around it. */
const redactedTexts = (message: Message, redact: (text: string) => string): Message =>
  JSON.parse(JSON.stringify(message), (_key, value: unknown) => (typeof value === "string" ? redact(value) : value))

/** What only its provider understands is nobody else's business. */
const withoutOpaque = (message: Message): Message => {
  if (message.role !== "assistant") return message
  const parts = message.parts.flatMap((part): readonly AssistantPart[] => {
    switch (part.type) {
      case "text":
        return [part]
      case "reasoning":
        return [{ type: part.type, text: part.text }]
      case "tool_call":
        return [{ type: part.type, call: part.call }]
      case "opaque":
        return []
    }
  })
  return { ...message, parts: [...parts] }
}

/** A row of the transcript as it is answered. */
export const transcriptRow = (row: MessageRow, redact: (text: string) => string): TranscriptRowBody => ({
  seq: row.seq,
  run_id: row.runId,
  step: row.step,
  at: row.at,
  message: redactedTexts(withoutOpaque(row.message), redact),
})

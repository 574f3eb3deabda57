import type { AssistantPart, Message } from "../../contracts/message.ts"
import type { MessageRow } from "../../store/store.ts"

/**
 * A transcript row as clients see it: a line of `adjutant export`, an item of `log --output json` and of the HTTP API. Provider-specific parts are
 * omitted.
 */
export interface TranscriptRow {
  readonly seq: number
  readonly run_id: string
  readonly step: number
  readonly at: string
  readonly message: Message
}

export const transcriptRow = (row: MessageRow, redact: (text: string) => string): TranscriptRow => ({
  seq: row.seq,
  run_id: row.runId,
  step: row.step,
  at: row.at,
  message: redactedTexts(withoutOpaque(row.message), redact),
})

/** Redacts each text separately, so that a redaction cannot break the JSON. */
const redactedTexts = (message: Message, redact: (text: string) => string): Message =>
  JSON.parse(JSON.stringify(message), (_key, value: unknown) => (typeof value === "string" ? redact(value) : value))

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

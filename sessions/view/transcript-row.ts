import type { AssistantPart, Message } from "../../contracts/message.ts"
import type { MessageRow } from "../../store/store.ts"

/**
 * A row of the transcript as others see it: a line of `adjutant export`, an item of `log --output json` and of the HTTP API. What only a provider
 * understands is left out.
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

/** Text by text, so that no secret can break the JSON around it. */
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

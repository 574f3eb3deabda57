import type { AssistantPart, Message, TranscriptMessage } from "../../contracts/message.ts"
import { type Redact, redactTexts } from "../../domain/text/redact.ts"
import { transcriptMessage } from "../../domain/transcript/transcript-message.ts"
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
  readonly message: TranscriptMessage
}

/** What a transcript row is made from. */
export type TranscriptSource = Omit<MessageRow, "fence">

export const transcriptRow = (row: TranscriptSource, redact: Redact): TranscriptRow => ({
  seq: row.seq,
  run_id: row.runId,
  step: row.step,
  at: row.at,
  message: transcriptMessage(redactTexts(withoutOpaque(row.message), redact)),
})

/** Returns a part of an answer without what only its provider can read; nothing if that is all of it. */
export const partWithoutOpaque = (part: AssistantPart): readonly AssistantPart[] => {
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
}

const withoutOpaque = (message: Message): Message =>
  message.role === "assistant" ? { ...message, parts: message.parts.flatMap(partWithoutOpaque) } : message

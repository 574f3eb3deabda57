import type { AssistantMessage, Message, TranscriptMessage } from "../../contracts/message.ts"

type ShownUsage = Extract<TranscriptMessage, { role: "assistant" }>["usage"]

const shownUsage = (usage: AssistantMessage["usage"]): ShownUsage => ({
  input_tokens: usage.inputTokens,
  output_tokens: usage.outputTokens,
  cache_read_tokens: usage.cacheReadTokens,
  cache_write_tokens: usage.cacheWriteTokens,
  reasoning_tokens: usage.reasoningTokens,
})

/** Returns a message as transcripts show it: every name in snake case. */
export const transcriptMessage = (message: Message): TranscriptMessage =>
  message.role === "assistant" ? { ...message, usage: shownUsage(message.usage) } : message

/** Returns the message that a transcript shows: the inverse of `transcriptMessage`. */
export const messageOfTranscript = (message: TranscriptMessage): Message =>
  message.role === "assistant"
    ? {
        ...message,
        usage: {
          inputTokens: message.usage.input_tokens,
          outputTokens: message.usage.output_tokens,
          cacheReadTokens: message.usage.cache_read_tokens,
          cacheWriteTokens: message.usage.cache_write_tokens,
          reasoningTokens: message.usage.reasoning_tokens,
        },
      }
    : message

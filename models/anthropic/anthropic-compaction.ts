import type Anthropic from "@anthropic-ai/sdk"
import type { BetaMessage, BetaUsage } from "@anthropic-ai/sdk/resources/beta/messages"
import type { AssistantMessage } from "../../contracts/message.ts"
import { ModelError } from "../model-error.ts"
import type { ModelRequest } from "../model-provider.ts"
import { anthropicConversation } from "./anthropic-request.ts"

/** The version of the API that summarises a conversation on request. */
const beta = "compact-2026-09-04"

/**
 * Returns the summary that the API makes of a conversation. Prompt and tools are those of the conversation, so that its cached prefix is read. The answer is the summary's text;
 * the signed block is not kept, because only this provider could read it.
 */
export const compactConversation = async (client: Anthropic, request: ModelRequest): Promise<AssistantMessage> => {
  const answer = await client.beta.messages.create(
    // Both versions of the API have the same shapes here.
    {
      ...anthropicConversation(request).body,
      compaction: { type: "summarize" },
      betas: [beta],
      ...request.spec.extraBody,
    },
    { signal: request.signal },
  )
  const { provider, model } = request.spec
  const parts = [{ type: "text" as const, text: summaryText(answer) }]
  return { role: "assistant", provider, model, parts, usage: usageOf(answer.usage), stop: "end_turn" }
}

const summaryText = ({ content }: BetaMessage): string => {
  const block = content.find(({ type }) => type === "compaction")
  if (block?.type === "compaction" && block.content !== null) return block.content
  throw new ModelError("bad_request", "anthropic did not summarise the conversation")
}

/** Returns everything that the request used: the counters of the message do not include those of a compaction. */
const usageOf = (usage: BetaUsage): AssistantMessage["usage"] => {
  const iterations = (usage.iterations ?? []).filter(({ type }) => type === "compaction")
  const all = [usage, ...iterations]
  const sum = (read: (counters: (typeof all)[number]) => number | null): number =>
    all.reduce((total, counters) => total + (read(counters) ?? 0), 0)
  return {
    inputTokens: sum((counters) => counters.input_tokens),
    outputTokens: sum((counters) => counters.output_tokens),
    cacheReadTokens: sum((counters) => counters.cache_read_input_tokens),
    cacheWriteTokens: sum((counters) => counters.cache_creation_input_tokens),
    reasoningTokens: usage.output_tokens_details?.thinking_tokens ?? 0,
  }
}

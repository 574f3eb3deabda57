import type { MessageCreateParamsBase, MessageParam } from "@anthropic-ai/sdk/resources/messages"
import type { ModelRequest } from "../model-provider.ts"
import { toWireTools, type WireTools } from "../wire/wire-tools.ts"
import { cacheMark, markedMessages, markedSystem, markedTools } from "./anthropic-cache-marks.ts"
import { toAnthropicMessages } from "./anthropic-messages.ts"

/** What every request for a conversation has: with the same prompt, tools and marks, it reads the conversation's cached prefix. */
export interface AnthropicConversation {
  readonly body: Pick<MessageCreateParamsBase, "model" | "max_tokens" | "messages" | "system" | "tools">
  /** The messages without cache marks. */
  readonly messages: readonly MessageParam[]
  readonly wireTools: WireTools
}

export const anthropicConversation = (request: ModelRequest): AnthropicConversation => {
  const { spec, systemPrompt, maxOutputTokens } = request
  const mark = cacheMark(spec)
  const wireTools = toWireTools(request.tools)
  const messages = toAnthropicMessages(request, spec, wireTools.toWire)
  const system = markedSystem(systemPrompt, mark)
  const body = {
    model: spec.model,
    max_tokens: maxOutputTokens,
    messages: markedMessages(messages, mark),
    ...(system.length > 0 ? { system } : {}),
    ...(wireTools.tools.length > 0 ? { tools: markedTools(wireTools.tools, mark) } : {}),
  }
  return { body, messages, wireTools }
}

import Anthropic from "@anthropic-ai/sdk"
import { AnthropicAnswer } from "./anthropic-answer.ts"
import { compactConversation } from "./anthropic-compaction.ts"
import { markedMessages, markedSystem, markedTools } from "./anthropic-cache-marks.ts"
import { isLoopWithoutThinking, toAnthropicMessages } from "./anthropic-messages.ts"
import { anthropicThinking } from "./anthropic-thinking.ts"
import { readAnswer } from "../growing-answer.ts"
import type { ModelProvider, ModelRequest } from "../model-provider.ts"
import { clientOptions } from "../provider-fetch.ts"
import { requireApiKey } from "../api-key-env.ts"
import { toWireTools } from "../wire-tools.ts"

/** The provider for Anthropic's Messages API. Answers are always streamed. */
export const anthropicProvider: ModelProvider = {
  async respond(request) {
    if (request.purpose === "compaction") return compactConversation(createClient(request), request)
    const { spec } = request
    const wireTools = toWireTools(request.tools)
    const messages = toAnthropicMessages(request.messages, spec, wireTools.toWire)
    const system = markedSystem(request.systemPrompt)
    const answer = new AnthropicAnswer(request.onDelta)
    const stream = await createClient(request).messages.create(
      {
        model: spec.model,
        max_tokens: request.maxOutputTokens,
        stream: true,
        messages: markedMessages(messages),
        ...(system.length > 0 ? { system } : {}),
        ...(wireTools.tools.length > 0 ? { tools: markedTools(wireTools.tools) } : {}),
        ...anthropicThinking(spec.model, spec.thinking, {
          maxOutputTokens: request.maxOutputTokens,
          mayThink: !isLoopWithoutThinking(messages),
        }),
      },
      { signal: request.signal },
    )
    return readAnswer(stream, answer, { request, wireTools })
  },
}

const createClient = (request: ModelRequest): Anthropic =>
  new Anthropic({
    apiKey: requireApiKey(request),
    // The SDK adds /v1 itself; users write the address with or without it.
    baseURL: request.spec.baseUrl?.replace(/\/(v1\/?)?$/, ""),
    ...clientOptions,
  })

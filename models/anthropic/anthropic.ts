import Anthropic from "@anthropic-ai/sdk"
import { AnthropicAnswer } from "./anthropic-answer.ts"
import { compactConversation } from "./anthropic-compaction.ts"
import { isLoopWithoutThinking } from "./anthropic-messages.ts"
import { anthropicConversation } from "./anthropic-request.ts"
import { anthropicThinking } from "./anthropic-thinking.ts"
import { readAnswer } from "../answer/growing-answer.ts"
import type { ModelProvider, ModelRequest } from "../model-provider.ts"
import { clientOptions } from "../provider-fetch.ts"
import { requireApiKey } from "../api-key-env.ts"
import { createVendorClient } from "../vendor-environment.ts"

/** The provider for Anthropic's Messages API. Answers are always streamed. */
export const anthropicProvider: ModelProvider = {
  async respond(request) {
    if (request.purpose === "compaction") return compactConversation(createClient(request), request)
    const { spec } = request
    const { body, messages, wireTools } = anthropicConversation(request)
    const answer = new AnthropicAnswer(request.onDelta, spec)
    const response = await createClient(request)
      .messages.create(
        {
          ...body,
          stream: true,
          ...anthropicThinking(spec.model, spec.thinking, {
            maxOutputTokens: request.maxOutputTokens,
            mayThink: !isLoopWithoutThinking(messages),
          }),
          ...(request.withoutCalls === true && body.tools !== undefined ? { tool_choice: { type: "none" } } : {}),
          ...spec.extraBody,
        },
        { signal: request.signal },
      )
      .asResponse()
    return readAnswer(response, answer, { request, wireTools })
  },
}

/** Variables that the SDK turns into headers. With a key, it reads no other credentials. */
const variables = ["ANTHROPIC_CUSTOM_HEADERS"]

const createClient = (request: ModelRequest): Anthropic => {
  // The SDK adds /v1 itself; users write the address with or without it.
  const baseURL = request.spec.baseUrl?.replace(/\/(v1\/?)?$/, "") ?? "https://api.anthropic.com"
  return createVendorClient(
    { address: baseURL, domain: "anthropic.com", variables },
    () =>
      new Anthropic({
        apiKey: requireApiKey(request),
        baseURL,
        defaultHeaders: { ...request.headers },
        ...clientOptions,
      }),
  )
}

import OpenAI from "openai"
import { ModelError } from "../model-error.ts"
import type { ModelProvider, ModelRequest } from "../model-provider.ts"
import { OpenAiAnswer } from "./openai-answer.ts"
import { toOpenAiInput } from "./openai-input.ts"
import { isReasoningModel, openAiReasoning } from "./openai-reasoning.ts"
import { providerFetch, responseTimeoutMs } from "../provider-fetch.ts"
import { requireApiKey } from "../require-api-key.ts"
import { nextTurnNumber } from "../transcript-turns.ts"
import { toWireTools } from "../wire-tools.ts"

const minOutputTokens = 16

/** OpenAI's Responses API, streamed. Nothing is stored there: reasoning travels encrypted in the transcript. */
export const openAiProvider: ModelProvider = {
  async respond(request) {
    const { spec, signal } = request
    const wireTools = toWireTools(request.tools)
    const reasoning = openAiReasoning(spec.model, spec.thinking)
    const answer = new OpenAiAnswer(request.onDelta)
    const stream = await createClient(request).responses.create(
      {
        model: spec.model,
        stream: true,
        store: false,
        input: toOpenAiInput(request.messages, spec, wireTools.toWire),
        max_output_tokens: Math.max(minOutputTokens, request.maxOutputTokens),
        prompt_cache_key: request.cacheKey,
        ...(isReasoningModel(spec.model) ? { include: ["reasoning.encrypted_content"] } : {}),
        ...(request.systemPrompt.trim() === "" ? {} : { instructions: request.systemPrompt }),
        ...(reasoning ? { reasoning } : {}),
        ...(wireTools.tools.length === 0
          ? {}
          : {
              tools: wireTools.tools.map(({ name, description, schema }) => ({
                type: "function" as const,
                name,
                description,
                parameters: schema,
                strict: false,
              })),
            }),
      },
      { signal },
    )
    for await (const event of stream) answer.add(event)
    // An aborted stream ends like a finished one.
    if (signal.aborted) throw new ModelError("aborted", "The model call was aborted.")
    return {
      role: "assistant",
      provider: spec.provider,
      model: spec.model,
      ...answer.finish(nextTurnNumber(request.messages), wireTools.fromWire),
    }
  },
}

const createClient = (request: ModelRequest): OpenAI =>
  new OpenAI({
    apiKey: requireApiKey(request),
    adminAPIKey: null,
    baseURL: request.spec.baseUrl,
    maxRetries: 0,
    timeout: responseTimeoutMs,
    // At other levels the SDK prints what providers send.
    logLevel: "off",
    fetch: providerFetch,
  })

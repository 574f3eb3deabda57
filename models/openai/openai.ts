import type OpenAI from "openai"
import type { Reasoning } from "openai/resources/shared"
import type { Thinking } from "../../contracts/run/model-provider.ts"
import { readAnswer } from "../answer/growing-answer.ts"
import type { ModelProvider, ModelRequest } from "../model-provider.ts"
import { OpenAiAnswer } from "./openai-answer.ts"
import { createOpenAiClient } from "./openai-client.ts"
import { toOpenAiInput } from "./openai-input.ts"
import { requireApiKey } from "../api-key-env.ts"
import { strictResult, toStrictSchema } from "../wire/strict-schema.ts"
import { toWireTools, type WireTool } from "../wire/wire-tools.ts"

const minOutputTokens = 16

/** Whether a model reasons. The chat models of a reasoning family do not. Other models refuse every setting for reasoning, including the request for encrypted content. */
const isReasoningModel = (model: string): boolean =>
  !/^(ft:)?(gpt-[34](\D|$)|chatgpt-)/.test(model) && !/-chat(-|$)/.test(model)

/** Returns the reasoning parameters of a request; none if no level is set. `off` is the lowest effort that the model accepts. */
const openAiReasoning = (model: string, thinking: Thinking | undefined): Reasoning | undefined => {
  if (thinking === undefined || !isReasoningModel(model)) return undefined
  if (thinking !== "off") return { effort: thinking, summary: "auto" }
  if (/^o\d/.test(model)) return { effort: "low" }
  return { effort: /^gpt-5(-(mini|nano|\d{4})|$)/.test(model) ? "minimal" : "none" }
}

/** The provider for OpenAI's Responses API, streamed. Nothing is stored there; the transcript contains the encrypted reasoning. */
export const openAiProvider: ModelProvider = {
  async respond(request) {
    const { spec } = request
    const wireTools = toWireTools(request.tools)
    const reasoning = openAiReasoning(spec.model, spec.thinking)
    const result = strictResult(request)
    const answer = new OpenAiAnswer(request.onDelta, spec)
    const response = await createClient(request)
      .responses.create(
        {
          model: spec.model,
          stream: true,
          store: false,
          input: toOpenAiInput(request, spec, wireTools.toWire),
          max_output_tokens: Math.max(minOutputTokens, request.maxOutputTokens),
          prompt_cache_key: request.cacheKey,
          ...(isReasoningModel(spec.model) ? { include: ["reasoning.encrypted_content"] } : {}),
          ...(request.systemPrompt.trim() === "" ? {} : { instructions: request.systemPrompt }),
          ...(reasoning ? { reasoning } : {}),
          ...(spec.temperature === undefined ? {} : { temperature: spec.temperature }),
          ...(wireTools.tools.length === 0
            ? {}
            : {
                tools: wireTools.tools.map((tool) => toFunction(tool, spec.dialect?.strict === true)),
                ...(request.withoutCalls === true ? { tool_choice: "none" as const } : {}),
              }),
          ...(result === undefined ? {} : { text: { format: { type: "json_schema" as const, ...result } } }),
          ...spec.extraBody,
        },
        { signal: request.signal },
      )
      .asResponse()
    return readAnswer(response, answer, { request, wireTools })
  },
}

const toFunction = ({ name, description, schema }: WireTool, isStrict: boolean) => {
  const strict = isStrict ? toStrictSchema(schema) : undefined
  return {
    type: "function" as const,
    name,
    description,
    parameters: strict ?? schema,
    strict: strict !== undefined,
  }
}

const createClient = (request: ModelRequest): OpenAI =>
  createOpenAiClient(request, {
    apiKey: requireApiKey(request),
    baseURL: request.spec.baseUrl ?? "https://api.openai.com/v1",
  })

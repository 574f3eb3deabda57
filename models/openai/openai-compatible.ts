import type OpenAI from "openai"
import type { Dialect } from "../../contracts/config/config-models.ts"
import { ChatAnswer } from "./chat-answer.ts"
import { withCacheMarks } from "./chat-cache-marks.ts"
import { promptText, toChatMessages } from "./chat-messages.ts"
import { createOpenAiClient } from "./openai-client.ts"
import { readAnswer } from "../answer/growing-answer.ts"
import { ModelError } from "../model-error.ts"
import type { ModelProvider, ModelRequest } from "../model-provider.ts"
import { strictResult, toStrictSchema } from "../wire/strict-schema.ts"
import { toWireTools, type WireTool } from "../wire/wire-tools.ts"

/** What distinguishes servers of Chat Completions. */
interface ChatServer {
  readonly createClient: (request: ModelRequest) => Pick<OpenAI, "chat">
  /** The field with the limit of an answer, unless the model's dialect names another one. */
  readonly maxTokensField: NonNullable<Dialect["maxTokensField"]>
}

/** Creates a provider for Chat Completions, streamed. Requests use only fields that all such servers support, unless the model has a `dialect`. */
export const createChatProvider = ({ createClient, maxTokensField }: ChatServer): ModelProvider => ({
  async respond(request) {
    const { spec } = request
    const wireTools = toWireTools(request.tools)
    const plain = toChatMessages(request, spec, wireTools.toWire)
    const messages = spec.dialect?.cacheControl === true ? withCacheMarks(plain, spec) : plain
    const result = strictResult(request)
    const tools = wireTools.tools.map((tool) => ({
      type: "function" as const,
      function: toFunction(tool, spec.dialect?.strict === true),
    }))
    // Tools are part of what the server reads.
    const answer = new ChatAnswer(request.onDelta, () => promptText(messages) + JSON.stringify(tools), spec)
    const response = await createClient(request)
      .chat.completions.create(
        {
          model: spec.model,
          stream: true,
          stream_options: { include_usage: true },
          messages,
          [spec.dialect?.maxTokensField ?? maxTokensField]: request.maxOutputTokens,
          ...(spec.temperature === undefined ? {} : { temperature: spec.temperature }),
          ...(spec.thinking ? { reasoning_effort: spec.thinking === "off" ? "none" : spec.thinking } : {}),
          ...(tools.length === 0
            ? {}
            : {
                tools,
                ...(request.withoutCalls === true ? { tool_choice: "none" as const } : {}),
              }),
          ...(result === undefined ? {} : { response_format: { type: "json_schema" as const, json_schema: result } }),
          ...spec.extraBody,
        },
        { signal: request.signal },
      )
      .asResponse()
    return readAnswer(response, answer, { request, wireTools })
  },
})

const toFunction = ({ name, description, schema }: WireTool, isStrict: boolean) => {
  const strict = isStrict ? toStrictSchema(schema) : undefined
  return strict === undefined
    ? { name, description, parameters: schema }
    : { name, description, parameters: strict, strict: true }
}

const createClient = (request: ModelRequest): OpenAI => {
  const { spec, apiKey } = request
  if (!spec.baseUrl)
    throw new ModelError("bad_request", `model ${spec.model} has no address: set its baseUrl under "models"`)
  return createOpenAiClient(request, { apiKey: apiKey || undefined, baseURL: spec.baseUrl })
}

/** The provider for any server with Chat Completions at `baseUrl`. */
export const openAiCompatibleProvider = createChatProvider({ createClient, maxTokensField: "max_tokens" })

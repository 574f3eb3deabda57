import type OpenAI from "openai"
import { ModelError } from "../model-error.ts"
import type { ModelRequest } from "../model-provider.ts"
import { createChatProvider } from "./chat-provider.ts"
import { createOpenAiClient } from "./openai-client.ts"

const createClient = (request: ModelRequest): OpenAI => {
  const { spec, apiKey } = request
  if (!spec.baseUrl)
    throw new ModelError("bad_request", `model ${spec.model} has no address: set its baseUrl under "models"`)
  return createOpenAiClient(request, { apiKey: apiKey || undefined, baseURL: spec.baseUrl })
}

/** The provider for any server with Chat Completions at `baseUrl`. */
export const openAiCompatibleProvider = createChatProvider({ createClient, maxTokensField: "max_tokens" })

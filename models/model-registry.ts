import type { ProviderName } from "../contracts/run/model-provider.ts"
import { wellFormed } from "../domain/text/foreign/well-formed.ts"
import type { ModelProvider, ModelRequest } from "./model-provider.ts"

/** Returns all providers by name. Each is loaded at its first call, so that a scripted run starts fast, without loading an SDK. */
export const createModelProviders = (): Record<ProviderName, ModelProvider> => ({
  anthropic: {
    ...lazily(async () => (await import("./anthropic/anthropic.ts")).anthropicProvider),
    compacts: true,
  },
  openai: lazily(async () => (await import("./openai/openai.ts")).openAiProvider),
  "azure-openai": lazily(async () => (await import("./openai/azure-openai.ts")).azureOpenAiProvider),
  "openai-compatible": lazily(async () => (await import("./openai/openai-compatible.ts")).openAiCompatibleProvider),
  cassette: lazily(async () => (await import("./cassette/cassette.ts")).cassetteProvider),
  scripted: lazily(async () => (await import("./scripted/scripted.ts")).scriptedProvider),
})

const lazily = (load: () => Promise<ModelProvider>): ModelProvider => ({
  respond: async (request) => (await load()).respond(withWellFormedTexts(request)),
})

/** Every request passes here: what a provider's parser would refuse is repaired on the way out, wherever it came from. */
const withWellFormedTexts = (request: ModelRequest): ModelRequest => ({
  ...request,
  systemPrompt: wellFormed(request.systemPrompt),
  messages: wellFormed(request.messages),
  tools: wellFormed(request.tools),
})

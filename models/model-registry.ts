import type { ProviderName } from "../contracts/model-provider.ts"
import type { ModelProvider } from "./model-provider.ts"

/** Returns all providers by name. Each is loaded at its first call, so that a scripted run starts fast, without loading an SDK. */
export const createModelProviders = (): Record<ProviderName, ModelProvider> => ({
  anthropic: {
    ...lazily(async () => (await import("./anthropic/anthropic.ts")).anthropicProvider),
    compacts: true,
  },
  openai: lazily(async () => (await import("./openai/openai.ts")).openAiProvider),
  "openai-compatible": lazily(async () => (await import("./openai/openai-compatible.ts")).openAiCompatibleProvider),
  cassette: lazily(async () => (await import("./cassette/cassette.ts")).cassetteProvider),
  scripted: lazily(async () => (await import("./scripted/scripted.ts")).scriptedProvider),
})

const lazily = (load: () => Promise<ModelProvider>): ModelProvider => ({
  respond: async (request) => (await load()).respond(request),
})

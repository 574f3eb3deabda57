import type { InputKind } from "../../contracts/run/model-provider.ts"
import type { ModelSpec } from "../../contracts/run-snapshot.ts"

const everything: readonly InputKind[] = ["text", "image", "pdf"]
const textOnly: readonly InputKind[] = ["text"]

const anthropicInput = (model: string): readonly InputKind[] => {
  if (!model.startsWith("claude-") || /^claude-(2|instant)/.test(model)) return textOnly
  return /^claude-3-(opus|sonnet|haiku)-/.test(model) ? ["text", "image"] : everything
}

/** Models for speech, search or drawing. */
const isOfAnotherKind = /-(audio|search|realtime|transcribe|tts)|^gpt-(image|realtime|audio)/

const openAiInput = (model: string): readonly InputKind[] => {
  const name = model.replace(/^ft:/, "")
  if (!/^(gpt-|chatgpt-|o\d)/.test(name) || isOfAnotherKind.test(name)) return textOnly
  if (name.startsWith("gpt-4-turbo")) return ["text", "image"]
  return /^(gpt-3|gpt-4$|gpt-4-|gpt-oss|o1-mini|o1-preview|o3-mini)/.test(name) ? textOnly : everything
}

/** Returns what a model takes: what the configuration says, or else what is known of the provider's own models. Any other model takes text only. */
export const acceptedInput = ({
  provider,
  model,
  input,
}: Pick<ModelSpec, "provider" | "model" | "input">): readonly InputKind[] => {
  if (input !== undefined) return input
  switch (provider) {
    case "anthropic":
      return anthropicInput(model)
    case "openai":
      return openAiInput(model)
    // Chat Completions of Azure refuse PDF files.
    case "azure-openai":
      return openAiInput(model).filter((kind) => kind !== "pdf")
    case "openai-compatible":
    case "scripted":
    case "cassette":
      return textOnly
  }
}

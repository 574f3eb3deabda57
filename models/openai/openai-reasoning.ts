import type { Reasoning } from "openai/resources/shared"
import type { Thinking } from "../../contracts/model-provider.ts"

/** Whether a model reasons at all: older ones refuse every setting about it, the encrypted content included. */
export const isReasoningModel = (model: string): boolean => !/^(ft:)?(gpt-[34](\D|$)|chatgpt-4o)/.test(model)

/** What a request says of reasoning. Nothing where the profile says nothing; `off` is the least effort that the model takes. */
export const openAiReasoning = (model: string, thinking: Thinking | undefined): Reasoning | undefined => {
  if (thinking === undefined || !isReasoningModel(model)) return undefined
  if (thinking !== "off") return { effort: thinking, summary: "auto" }
  if (/^o\d/.test(model)) return { effort: "low" }
  return { effort: /^gpt-5(-(mini|nano|\d{4})|$)/.test(model) ? "minimal" : "none" }
}

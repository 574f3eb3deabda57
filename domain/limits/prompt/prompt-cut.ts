import type { AssistantMessage, Message } from "../../../contracts/message.ts"
import type { ModelSpec } from "../../../contracts/run-snapshot.ts"
import type { NextCall } from "./next-call.ts"

/** No language has so few tokens for its text. */
const bytesPerToken = 8
/** A server that cuts prompts fills its context with them. One that reports less than any context counts something else. */
const leastContext = 512
/** Less growth can be lost in a template. */
const leastGrowth = 100

/** The prompt of a call, and what its server counted. */
export interface CountedCall {
  readonly spec: Pick<ModelSpec, "provider" | "model">
  readonly call: NextCall
  readonly messages: readonly Message[]
  readonly usage: AssistantMessage["usage"]
}

const countedPrompt = (usage: AssistantMessage["usage"]): number =>
  usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens

/** Returns what the same model counted in the step before, if only results of its calls were added since. */
const countedBefore = ({ spec, messages }: CountedCall): number | undefined => {
  const last = messages.findLastIndex(({ role }) => role === "assistant")
  const answer = messages[last]
  if (answer?.role !== "assistant" || answer.provider !== spec.provider || answer.model !== spec.model) return undefined
  return messages.slice(last + 1).every(({ role }) => role === "tool") ? countedPrompt(answer.usage) : undefined
}

/** Returns a warning if the server cannot have read the whole prompt: it counted too few tokens, or no more than in the step before although the prompt has grown. */
export const promptCut = (counted: CountedCall): string | undefined => {
  const { spec, call } = counted
  const reported = countedPrompt(counted.usage)
  if (spec.provider !== "openai-compatible" || reported < leastContext) return undefined
  const before = countedBefore(counted)
  const hasShrunk = call.prefixTokens > 0 && call.newTokens >= leastGrowth && before !== undefined && reported <= before
  const isShort = call.prefixTokens === 0 && reported < call.newBytes / bytesPerToken
  return hasShrunk || isShort
    ? `prompt_cut: model ${spec.model} read ${reported} tokens of a longer prompt, so its server cut it: give the model a larger context on the server (Ollama: OLLAMA_CONTEXT_LENGTH) and set contextTokens`
    : undefined
}

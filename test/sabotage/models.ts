import type { Fault } from "../../scripts/sabotage/fault.ts"

export const models: readonly Fault[] = [
  {
    name: "a counter that a later event leaves out is lost",
    file: "models/anthropic/anthropic-answer.ts",
    find: ".filter(([, value]) => value !== null)",
    replace: "",
    triedFirst: "test/unit/models/anthropic/anthropic-answer.test.ts",
  },
  {
    name: "thinking that was cut before its signature is sent back",
    file: "models/anthropic/anthropic-messages.ts",
    find: `("signature" in opaque && opaque.signature !== "")`,
    replace: `"signature" in opaque`,
  },
  {
    name: "a step with many calls does not find the cache of the step before",
    file: "models/anthropic/anthropic-cache-marks.ts",
    find: ".slice(-2)",
    replace: ".slice(-1)",
  },
  {
    name: "the arguments of two calls with the same index become those of one",
    file: "models/openai/chat-calls.ts",
    find: `call.index === index && (name === "" || call.name === "" || !id || !call.id || call.id === id)`,
    replace: "call.index === index",
    triedFirst: "test/unit/models/openai/openai-compatible.test.ts",
  },
  {
    name: "tokens that are written to a cache are counted twice",
    file: "models/openai/chat-answer.ts",
    find: "(prompt ?? estimateTokens(this.#promptText())) - cacheReadTokens - cacheWriteTokens",
    replace: "(prompt ?? estimateTokens(this.#promptText())) - cacheReadTokens",
    triedFirst: "test/unit/models/openai/chat-answer.test.ts",
  },
  {
    name: "an answer whose stream broke off counts as complete",
    file: "models/openai/chat-answer.ts",
    find: `if (word === undefined || word === "error")`,
    replace: `if (word === "error")`,
    triedFirst: "test/unit/models/openai/openai-compatible.test.ts",
  },
  {
    name: "a call is repeated although the quota is used up",
    file: "models/failure/classify-model-error.ts",
    find: `  if (isQuota(failure, status)) return "quota"\n`,
    replace: "",
  },
  {
    name: "a call does not wait as long as its provider asks",
    file: "models/failure/classify-model-error.ts",
    find: `kind === "retry" ? readRetryAfterMs(failure, call.nowMs ?? Date.now()) : undefined`,
    replace: "undefined",
  },
  {
    name: "the error of a provider contains the key",
    file: "models/failure/classify-model-error.ts",
    find: "createRedact(apiKey === undefined ? [] : [apiKey])(text)",
    replace: "text",
  },
  {
    name: "two calls of an answer have the same id",
    file: "models/answer/parse-tool-arguments.ts",
    find: "firstFreeName(wanted, taken, (copy) => `${wanted}~${copy}`)",
    replace: "wanted",
  },
  {
    name: "the reasoning of a model is not sent back to it",
    file: "models/openai/openai-input.ts",
    find: "items.push(...waiting, item)",
    replace: "items.push(item)",
  },
  {
    name: "the reasoning of one model is sent to another one of its provider",
    file: "models/wire/transcript-turns.ts",
    find: "message.provider === asked.provider && message.model === asked.model",
    replace: "message.provider === asked.provider",
  },
]

import type { AssistantMessage, AssistantPart } from "../../contracts/message.ts"
import type { ModelProvider, ModelRequest } from "../../models/model-provider.ts"

/** The instructions that determine what the model does. */
export const prompts = {
  /** Proposes a read-only call in every turn, so that the run ends at its step limit. */
  call: "Look up.",
  /** The same with a tool that is not marked as quick. */
  callActivity: "Fetch.",
  /** Answers with one word. */
  answer: "Answer.",
  /** Proposes a call that changes something, once, and then answers with one word. */
  act: "Act.",
} as const

const usage = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 }

const says = (parts: readonly AssistantPart[], stop: AssistantMessage["stop"]): AssistantMessage => ({
  role: "assistant",
  provider: "scripted",
  model: "bench",
  parts: [...parts],
  usage,
  stop,
})

const call = (request: ModelRequest, name: string): AssistantMessage =>
  says(
    [{ type: "tool_call", call: { id: `call_${request.messages.length}`, name, arguments: { key: "value" } } }],
    "tool_calls",
  )

const answer = (): AssistantMessage => says([{ type: "text", text: "Done." }], "end_turn")

const answerTo = (request: ModelRequest): AssistantMessage => {
  const [first] = request.messages
  const prompt = first?.role === "user" ? first.text : ""
  if (prompt === prompts.call) return call(request, "Lookup")
  if (prompt === prompts.callActivity) return call(request, "FetchPage")
  if (prompt === prompts.act && request.messages.length === 1) return call(request, "Act")
  return answer()
}

/** A model without latency, in the worker's process. */
export const benchModel: ModelProvider = { respond: async (request) => answerTo(request) }

import type { AssistantMessage, AssistantPart, Message, ToolCall } from "../../contracts/message.ts"

/** Returns the calls that a message proposes, in order; none for a message that is not the model's. */
export const toolCallsOf = (message: Message | undefined): readonly ToolCall[] =>
  message?.role === "assistant" ? message.parts.flatMap((part) => (part.type === "tool_call" ? [part.call] : [])) : []

export const findToolCall = (message: Message | undefined, callId: string): ToolCall | undefined =>
  toolCallsOf(message).find(({ id }) => id === callId)

/** Far more than a step runs; those beyond it are dropped from the answer. */
const maxCalls = 256
/** Providers give ids of some tens of characters. */
const maxIdCharacters = 200

const withShortId = (part: AssistantPart, index: number): AssistantPart =>
  part.type !== "tool_call" || part.call.id.length <= maxIdCharacters
    ? part
    : { ...part, call: { ...part.call, id: `${part.call.id.slice(0, maxIdCharacters - 20)}-${index}` } }

/** Returns the answer with at most 256 calls, each with a short id: both enter the engine's history. */
export const limitCalls = (message: AssistantMessage): AssistantMessage => {
  let calls = 0
  const parts = message.parts.filter((part) => part.type !== "tool_call" || (calls += 1) <= maxCalls)
  return { ...message, parts: parts.map(withShortId) }
}

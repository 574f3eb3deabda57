import type { AssistantMessage, AssistantPart, Message, ToolCall } from "../../contracts/message.ts"
import { firstFreeName } from "../tools/first-free-name.ts"

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

/** Decisions are sent as an object by id. There, names that every object has (`__proto__`, `constructor`) do not reach the call. */
const isNameOfObjects = (id: string): boolean => id in Object.prototype

/**
 * Returns the answer with ids of calls that no earlier call of the session has, and that a decision can name: some servers count them from one in every
 * answer. A decision about a call names its id, so a decision that is repeated or late must not fit another call.
 */
export const withNewIds = (message: AssistantMessage, earlier: readonly Message[]): AssistantMessage => {
  const taken = new Set(earlier.flatMap((other) => toolCallsOf(other).map(({ id }) => id)))
  const mustChange = (id: string): boolean => taken.has(id) || isNameOfObjects(id)
  if (!toolCallsOf(message).some(({ id }) => mustChange(id))) return message
  const own = new Set(toolCallsOf(message).map(({ id }) => id))
  const parts = message.parts.map((part): AssistantPart => {
    if (part.type !== "tool_call" || !mustChange(part.call.id)) return part
    const { id } = part.call
    const has = (copy: string): boolean => taken.has(copy) || own.has(copy)
    const free = firstFreeName(id, { has }, (copy) => `${id.slice(0, maxIdCharacters - 10)}~${copy}`)
    own.add(free)
    return { ...part, call: { ...part.call, id: free } }
  })
  return { ...message, parts }
}

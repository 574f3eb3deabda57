import type { Message, ToolCall } from "../../contracts/message.ts"

/** Returns the calls that a message proposes, in order; none for a message that is not the model's. */
export const toolCallsOf = (message: Message | undefined): readonly ToolCall[] =>
  message?.role === "assistant" ? message.parts.flatMap((part) => (part.type === "tool_call" ? [part.call] : [])) : []

export const findToolCall = (message: Message | undefined, callId: string): ToolCall | undefined =>
  toolCallsOf(message).find(({ id }) => id === callId)

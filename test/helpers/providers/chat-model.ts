import { createChatAnswer, createPartialChatAnswer } from "./chat-wire.ts"
import { type FakeProvider, type FakeReply, type RecordedRequest, startFakeProvider } from "./fake-provider-server.ts"

/** A message as Chat Completions carries it. */
export interface WireMessage {
  readonly role: string
  readonly content: unknown
}

const isWireMessage = (value: unknown): value is WireMessage =>
  typeof value === "object" && value !== null && "role" in value && typeof value.role === "string" && "content" in value

export const readWireMessages = (request: RecordedRequest): readonly WireMessage[] => {
  const { messages } = request.body
  return Array.isArray(messages) ? messages.filter(isWireMessage) : []
}

/** Returns the texts of all user messages in a request to the model, oldest first. */
export const readWireUsers = (request: RecordedRequest): readonly string[] =>
  readWireMessages(request).flatMap(({ role, content }) => (role === "user" ? [String(content)] : []))

/** Returns the contents of all tool results in a request to the model. */
export const readWireToolResults = (request: RecordedRequest): readonly string[] =>
  readWireMessages(request).flatMap(({ role, content }) => (role === "tool" ? [String(content)] : []))

/** Returns an answer of tool calls only, with ids that name the turn. */
export const createChatCalls = (
  turn: number,
  ...calls: readonly (readonly [name: string, args: Readonly<Record<string, unknown>>])[]
): FakeReply =>
  createChatAnswer(
    calls.map(([name, args], index) => ({
      tool_calls: [
        {
          index,
          id: `call_${turn}_${index + 1}`,
          type: "function",
          function: { name, arguments: JSON.stringify(args) },
        },
      ],
    })),
    { finishReason: "tool_calls" },
  )

/** Returns a stream that begins and then stays open without sending more. */
export const createHangingChatAnswer = (text: string): FakeReply =>
  createPartialChatAnswer([{ role: "assistant", content: text }], 1, "hang")

/** Starts a model behind HTTP that answers by the turn of the conversation, so that a retry gets the same turn. */
export const startChatModel = (
  respond: (turn: number, request: RecordedRequest, index: number) => FakeReply | Promise<FakeReply>,
): Promise<FakeProvider> =>
  startFakeProvider((request, index) => {
    const turn = readWireMessages(request).filter(({ role }) => role === "assistant").length + 1
    return respond(turn, request, index)
  })

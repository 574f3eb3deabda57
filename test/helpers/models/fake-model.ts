import type { AssistantMessage, AssistantPart } from "../../../contracts/message.ts"
import type { ModelProvider, ModelRequest } from "../../../models/model-provider.ts"

/** The reply of a fake model in one turn. */
export type FakeReply =
  | { readonly text: string; readonly stop?: AssistantMessage["stop"]; readonly outputTokens?: number }
  | {
      readonly calls: readonly (readonly [name: string, args: Record<string, unknown> | null])[]
      readonly text?: string
      readonly stop?: AssistantMessage["stop"]
    }

/**
 * Returns the number of the session's turn, counted from 1, from the transcript alone: a retry gets the same
 * number.
 */
export const countTurn = (request: ModelRequest): number =>
  [...(request.hidden ?? []), ...request.messages].filter((message) => message.role === "assistant").length + 1

const usage = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 }

export const createAssistantReply = (reply: FakeReply, turn: number): AssistantMessage => {
  const text: AssistantPart[] =
    reply.text === undefined || reply.text === "" ? [] : [{ type: "text", text: reply.text }]
  if (!("calls" in reply)) {
    const tokens = { ...usage, outputTokens: reply.outputTokens ?? usage.outputTokens }
    return {
      role: "assistant",
      provider: "scripted",
      model: "fake",
      parts: text,
      usage: tokens,
      stop: reply.stop ?? "end_turn",
      ...(reply.stop === "unknown" ? { stop_word: "odd_word" } : {}),
    }
  }
  const calls = reply.calls.map(([name, args], index): AssistantPart => ({
    type: "tool_call",
    call: { id: `call_${turn}_${index + 1}`, name, arguments: args, ...(args === null ? { raw_arguments: "{" } : {}) },
  }))
  return {
    role: "assistant",
    provider: "scripted",
    model: "fake",
    parts: [...text, ...calls],
    usage,
    stop: reply.stop ?? "tool_calls",
    ...(reply.stop === "unknown" ? { stop_word: "odd_word" } : {}),
  }
}

/** Returns a model that answers from a function, for tests that decide a turn while it is under way. */
export const createFakeModel = (
  respond: (request: ModelRequest, turn: number) => FakeReply | Promise<FakeReply>,
): ModelProvider => ({
  async respond(request) {
    const turn = countTurn(request)
    const reply = await respond(request, turn)
    if (reply.text !== undefined) request.onDelta({ type: "text", text: reply.text })
    return createAssistantReply(reply, turn)
  },
})

/** Returns a model that gives these replies one after another. */
export const createFakeTurns = (...replies: readonly FakeReply[]): ModelProvider =>
  createFakeModel((_, turn) => {
    const reply = replies[turn - 1]
    if (reply === undefined) throw new Error(`the fake model has no turn ${turn}`)
    return reply
  })

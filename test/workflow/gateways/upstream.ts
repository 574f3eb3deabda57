import {
  createAnthropicAnswer,
  createAnthropicError,
  createAnthropicText,
} from "../../helpers/providers/anthropic-wire.ts"
import { createChatAnswer } from "../../helpers/providers/chat-wire.ts"
import type { FakeReply, RecordedRequest } from "../../helpers/providers/fake-provider-server.ts"
import {
  createOpenAiAnswer,
  createOpenAiCall,
  createOpenAiError,
  createOpenAiMessage,
} from "../../helpers/providers/openai-responses-wire.ts"

/** What the model behind a gateway answers, in the form of no vendor. */
export type UpstreamReply =
  | { readonly text: string }
  | { readonly call: readonly [name: string, args: Readonly<Record<string, unknown>>] }
  | { readonly status: number; readonly problem: string }

interface Turn {
  readonly turn: number
  readonly promptTokens: number
  /** Whether the gateway asked for the whole answer at once. */
  readonly isWhole: boolean
}

/** A vendor's API as a gateway calls it: what its errors, calls and texts look like. */
interface Wire {
  readonly isFor: (path: string) => boolean
  /** Finds the results of calls in the body of a request. */
  readonly results: RegExp
  readonly encode: (reply: UpstreamReply, at: Turn) => FakeReply
}

/** What the vendors sign the thoughts before the first two calls with. They want it back. */
export const signatures = ["c2lnbmF0dXJlLTE=", "c2lnbmF0dXJlLTI="] as const

const signatureOf = (turn: number): string => signatures[turn === 1 ? 0 : 1]

const geminiAnswer = (parts: readonly unknown[], promptTokenCount: number): FakeReply => ({
  kind: "sse",
  events: [
    {
      data: {
        candidates: [{ index: 0, content: { role: "model", parts }, finishReason: "STOP" }],
        usageMetadata: { promptTokenCount, candidatesTokenCount: 7, totalTokenCount: promptTokenCount + 7 },
        modelVersion: "gemini-fake",
      },
    },
  ],
})

const wholeChatAnswer = (content: string, usage: unknown): FakeReply => ({
  kind: "http",
  status: 200,
  body: {
    id: "chatcmpl-fake",
    object: "chat.completion",
    created: 0,
    model: "fake",
    choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
    usage,
  },
})

const wires: readonly Wire[] = [
  {
    isFor: (path) => path.endsWith("/chat/completions"),
    results: /"role": ?"tool"/g,
    encode: (reply, { turn, promptTokens, isWhole }) => {
      if ("status" in reply) return createOpenAiError(reply.status, { message: reply.problem, type: "server_error" })
      const usage = { prompt_tokens: promptTokens, completion_tokens: 7 }
      if ("text" in reply && isWhole) return wholeChatAnswer(reply.text, usage)
      if ("text" in reply) return createChatAnswer([{ role: "assistant", content: reply.text }], { usage })
      const [name, args] = reply.call
      const called = { name, arguments: JSON.stringify(args) }
      return createChatAnswer(
        [{ tool_calls: [{ index: 0, id: `call_${turn}`, type: "function", function: called }] }],
        {
          finishReason: "tool_calls",
          usage,
        },
      )
    },
  },
  {
    isFor: (path) => path.endsWith("/responses"),
    results: /"function_call_output"/g,
    encode: (reply, { turn, promptTokens }) => {
      if ("status" in reply) return createOpenAiError(reply.status, { message: reply.problem, type: "server_error" })
      const usage = { input_tokens: promptTokens, output_tokens: 7, total_tokens: promptTokens + 7 }
      if ("text" in reply) return createOpenAiAnswer([createOpenAiMessage(`msg_${turn}`, reply.text)], { usage })
      const [name, args] = reply.call
      return createOpenAiAnswer(
        [createOpenAiCall(`fc_${turn}`, `call_${turn}`, { name, args: JSON.stringify(args) })],
        { usage },
      )
    },
  },
  {
    isFor: (path) => path.endsWith("/messages"),
    results: /"tool_result"/g,
    encode: (reply, { turn, promptTokens }) => {
      if ("status" in reply)
        return createAnthropicError(reply.status, { type: "invalid_request_error", message: reply.problem })
      const usage = { input_tokens: promptTokens }
      if ("text" in reply) return createAnthropicText(reply.text, { usage })
      const [name, args] = reply.call
      return createAnthropicAnswer(
        [
          { type: "thinking", pieces: ["Hm, ", "hm."], signature: signatureOf(turn) },
          { type: "text", pieces: ["I ", "look."] },
          { type: "tool_use", id: `toolu_${turn}`, name, pieces: [JSON.stringify(args)] },
        ],
        { usage },
      )
    },
  },
  {
    isFor: (path) => path.includes("GenerateContent"),
    results: /"function_?[rR]esponse"/g,
    encode: (reply, { turn, promptTokens }) => {
      if ("status" in reply)
        return {
          kind: "http",
          status: reply.status,
          body: { error: { code: reply.status, message: reply.problem, status: "INVALID_ARGUMENT" } },
        }
      if ("text" in reply) return geminiAnswer([{ text: reply.text }], promptTokens)
      const [name, args] = reply.call
      return geminiAnswer([{ functionCall: { name, args }, thoughtSignature: signatureOf(turn) }], promptTokens)
    },
  },
]

/** As real models have them for English. */
const charactersPerToken = 4

export type Respond = (turn: number, body: string) => UpstreamReply

/**
 * Returns the vendors' servers behind a gateway: they answer each request in the form of the API that it calls. `turn` is counted from 1 by the results
 * of calls in the conversation.
 */
export const createUpstream = (respond: Respond): ((request: RecordedRequest) => FakeReply) => {
  const cached = new Map<string, string>()
  return (request) => {
    const body = JSON.stringify(request.body)
    if (request.path.includes("cachedContents")) {
      if (request.method === "GET") return { kind: "http", status: 200, body: {} }
      const name = `cachedContents/${cached.size + 1}`
      cached.set(name, body)
      return { kind: "http", status: 200, body: { ...request.body, name } }
    }
    const wire = wires.find(({ isFor }) => isFor(request.path))
    if (wire === undefined) return { kind: "http", status: 404, body: { error: { message: `no ${request.path}` } } }
    const conversation = (cached.get(String(request.body["cachedContent"])) ?? "") + body
    const turn = [...conversation.matchAll(wire.results)].length + 1
    const promptTokens = Math.ceil(conversation.length / charactersPerToken)
    return wire.encode(respond(turn, conversation), { turn, promptTokens, isWhole: request.body["stream"] !== true })
  }
}

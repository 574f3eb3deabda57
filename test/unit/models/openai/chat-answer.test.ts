import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Dialect } from "../../../../contracts/config/config-models.ts"
import type { AssistantMessage } from "../../../../contracts/message.ts"
import { ModelError } from "../../../../models/model-error.ts"
import { ChatAnswer } from "../../../../models/openai/chat-answer.ts"
import { toChatMessages } from "../../../../models/openai/chat-messages.ts"
import {
  createAssistantMessage,
  createToolResult,
  createUserMessage,
} from "../../../helpers/providers/model-request.ts"

const own = { provider: "openai-compatible", model: "m" } as const

/** Reads chunks as the answer of a server. */
const read = (...chunks: readonly unknown[]) => {
  const answer = new ChatAnswer(
    () => {},
    () => "a word ".repeat(50),
    {},
  )
  for (const chunk of chunks) answer.add(chunk)
  return answer.finish(1, (name) => name)
}

/** Returns the answer, or what reading it throws. */
const outcome = (...chunks: readonly unknown[]) => {
  try {
    return read(...chunks)
  } catch (error) {
    return error instanceof Error ? error : new Error("thrown")
  }
}

const delta = (fields: unknown) => ({ choices: [{ delta: fields }] })
const end = (word: string) => ({ choices: [{ delta: {}, finish_reason: word }] })
const call = (index: number | undefined, id: string | undefined, name: string | undefined, args: unknown) =>
  delta({ tool_calls: [{ index, id, function: { name, arguments: args } }] })

const callsIn = ({ parts }: Pick<AssistantMessage, "parts">) =>
  parts.flatMap((part) => (part.type === "tool_call" ? [part.call] : []))
const textIn = ({ parts }: Pick<AssistantMessage, "parts">) =>
  parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("")
const reasoningIn = ({ parts }: Pick<AssistantMessage, "parts">) =>
  parts.flatMap((part) => (part.type === "reasoning" ? [part.text] : [])).join("")

describe("a chat answer", () => {
  it("reads content that is a list of parts, as Mistral sends it", () => {
    const answer = read(
      delta({ content: [{ type: "thinking", thinking: [{ type: "text", text: "let me see" }] }] }),
      delta({ content: [{ type: "text", text: "the answer " }] }),
      delta({ content: "is 4" }),
      end("stop"),
    )
    expect(textIn(answer)).toBe("the answer is 4")
    expect(reasoningIn(answer)).toBe("let me see")
  })

  it("reads a message where a delta is expected, with its calls, as some servers send it", () => {
    const message = { content: "I will look.", tool_calls: [{ id: "a", function: { name: "Read", arguments: "{}" } }] }
    const answer = read({ choices: [{ message, finish_reason: "tool_calls" }] })
    expect([textIn(answer), answer.stop]).toEqual(["I will look.", "tool_calls"])
    expect(callsIn(answer)).toMatchObject([{ name: "Read", arguments: {} }])
    expect(textIn(read({ choices: [{ delta: null, message: { content: "Done." }, finish_reason: "stop" }] }))).toBe(
      "Done.",
    )
  })

  // The schema CompletionChunk of Mistral's own client (@mistralai/mistralai 2.7.0) accepts these chunks.
  it("reads Mistral's chunks with references between the texts, and a call whose arguments are an object", () => {
    const thinking = (...parts: readonly unknown[]) => delta({ content: [{ type: "thinking", thinking: parts }] })
    const reference = { type: "reference", reference_ids: [1] }
    const called = { id: "D681PevKs", function: { name: "Read", arguments: { file_path: "a.txt" } }, index: 0 }
    const answer = read(
      thinking({ type: "text", text: "let me " }),
      thinking({ type: "text", text: "see" }, reference),
      delta({ content: [{ type: "text", text: "I look." }, reference] }),
      { choices: [{ index: 0, delta: { content: "", tool_calls: [called] }, finish_reason: "tool_calls" }] },
    )
    expect(reasoningIn(answer)).toBe("let me see")
    expect(textIn(answer)).toBe("I look.")
    expect(callsIn(answer)).toEqual([{ id: "D681PevKs", name: "Read", arguments: { file_path: "a.txt" } }])
    expect(answer.stop).toBe("tool_calls")
  })

  // The schema ChatCompletionRequest of the same client accepts the message that is sent back.
  it("sends Mistral's thoughts back with their signatures, to the model that wrote them only", () => {
    const thought = (fields: object) => delta({ content: [{ type: "thinking", ...fields }] })
    const { parts } = read(
      thought({ thinking: [{ type: "text", text: "let me " }] }),
      thought({ thinking: [{ type: "text", text: "see" }], signature: "SIG-1", closed: true }),
      delta({ content: "I " }),
      delta({ content: [{ type: "text", text: "look." }] }),
      thought({ thinking: [{ type: "text", text: "now" }], signature: "SIG-2" }),
      call(0, "c", "Read", "{}"),
      end("tool_calls"),
    )
    const sentTo = (model: string, dialect: Dialect = {}) =>
      toChatMessages(
        { systemPrompt: "", messages: [createAssistantMessage(parts, own), createUserMessage("more")] },
        { ...own, model, dialect },
        (name) => name,
      )[0]
    expect(sentTo("m")?.content).toEqual([
      { type: "thinking", thinking: [{ type: "text", text: "let me see" }], signature: "SIG-1", closed: true },
      { type: "text", text: "I look." },
      { type: "thinking", thinking: [{ type: "text", text: "now" }], signature: "SIG-2" },
    ])
    expect(sentTo("other")?.content).toBe("I look.")
    expect(sentTo("m", { reasoningField: "none" })?.content).toBe("I look.")
  })

  it("reads reasoning that is a list", () => {
    const answer = read(delta({ reasoning_content: [{ type: "text", text: "hm" }], content: "4" }), end("stop"))
    expect(reasoningIn(answer)).toBe("hm")
  })

  it.each([
    [
      { prompt_tokens: "10", completion_tokens: 5 },
      { inputTokens: 10, outputTokens: 5 },
    ],
    [
      { prompt_tokens: { n: 1 }, completion_tokens: 5 },
      { inputTokens: 100, outputTokens: 5 },
    ],
    [
      { prompt_tokens: -1, completion_tokens: "many" },
      { inputTokens: 100, outputTokens: 1 },
    ],
    ["none", { inputTokens: 100, outputTokens: 1 }],
    [
      { prompt_tokens: 9, prompt_tokens_details: [1] },
      { inputTokens: 9, cacheReadTokens: 0 },
    ],
  ])("keeps its text whatever its usage is: %j", (usage, expected) => {
    const answer = read(delta({ content: "4" }), end("stop"), { choices: [], usage })
    expect(textIn(answer)).toBe("4")
    expect(answer.usage).toMatchObject(expected)
  })

  it("can be one completion in place of a stream", () => {
    const message = {
      role: "assistant",
      content: "hi",
      tool_calls: [{ id: "c", type: "function", function: { name: "Read", arguments: "{}" } }],
    }
    const answer = read({ object: "chat.completion", choices: [{ index: 0, message, finish_reason: "tool_calls" }] })
    expect(answer.stop).toBe("tool_calls")
    expect(textIn(answer)).toBe("hi")
    expect(callsIn(answer)).toEqual([{ id: "c", name: "Read", arguments: {} }])
  })

  it.each([
    ["choices", { choices: "none" }],
    ["choices[0].delta.content", delta({ content: 4 })],
    ["choices[0].delta.tool_calls", delta({ tool_calls: "Read" })],
    ["choices[0].delta.tool_calls[0].function.arguments", call(0, "c", "Read", 7)],
    ["choices[0].finish_reason", { choices: [{ delta: {}, finish_reason: 3 }] }],
  ])("is not asked for again if %s cannot be read", (path, chunk) => {
    const thrown = outcome(chunk)
    expect(thrown).toMatchObject({ kind: "bad_request", message: expect.stringContaining(`${path} is `) })
  })

  it("is asked for again if it announces calls and has none", () => {
    expect(() => read(delta({ content: "now" }), end("tool_calls"))).toThrow("sent no call that can be read")
  })

  it.each([
    [
      "one call at two indexes",
      [call(0, "c", "Read", '{"a":1}'), call(1, "c", "Read", '{"a":1}')],
      [{ id: "c", name: "Read", arguments: { a: 1 } }],
    ],
    [
      "one id for two calls",
      [call(0, "c", "Read", '{"a":1}'), call(1, "c", "Read", '{"a":2}')],
      [
        { id: "c", name: "Read", arguments: { a: 1 } },
        { id: "c~2", name: "Read", arguments: { a: 2 } },
      ],
    ],
    [
      "a new id in each piece",
      [call(0, "c-1", "Read", '{"file_'), call(0, "c-2", undefined, 'path":"a.txt"}')],
      [{ id: "c-1", name: "Read", arguments: { file_path: "a.txt" } }],
    ],
    [
      "a name after the id",
      [call(0, "c", undefined, ""), call(0, undefined, "Read", "{}")],
      [{ id: "c", name: "Read", arguments: {} }],
    ],
    [
      "arguments encoded twice",
      [call(0, "c", "Read", JSON.stringify(JSON.stringify({ a: 1 })))],
      [{ id: "c", name: "Read", arguments: { a: 1 } }],
    ],
    [
      "arguments inside a fence",
      [call(0, "c", "Read", '```json\n{"a": 1}\n```')],
      [{ id: "c", name: "Read", arguments: { a: 1 } }],
    ],
    [
      "an empty object before the arguments",
      [call(0, "c", "Read", "{}"), call(0, undefined, undefined, '{"a":1}')],
      [{ id: "c", name: "Read", arguments: { a: 1 } }],
    ],
    [
      "the old form of one call",
      [delta({ function_call: { name: "Read", arguments: '{"a":1}' } })],
      [{ id: "call_1_1", name: "Read", arguments: { a: 1 } }],
    ],
  ])("reads %s", (_what, chunks, calls) => {
    expect(callsIn(read(...chunks, end("tool_calls")))).toEqual(calls)
  })

  it("keeps what only its server understands, and returns it to the same model only", () => {
    const signed = {
      index: 0,
      id: "c",
      extra_content: { google: { thought_signature: "SIG" } },
      function: { name: "Read", arguments: "{}", thought: "F" },
    }
    const answer = read(
      delta({ reasoning_details: [{ type: "reasoning.text", text: "let ", index: 0 }] }),
      delta({ reasoning_details: [{ type: "reasoning.text", text: "me", signature: "S", index: 0 }] }),
      delta({ reasoning_details: [{ type: "reasoning.encrypted", data: "ENC", id: "r1", index: 1 }], audio: null }),
      delta({ token_ids: [1, 2], tool_calls: [signed] }),
      end("tool_calls"),
    )
    const message: AssistantMessage = { ...createAssistantMessage([]), ...answer, ...own }
    const stored = JSON.parse(JSON.stringify(message))
    const sentTo = (model: string) =>
      toChatMessages(
        {
          systemPrompt: "",
          messages: [createUserMessage("go"), stored, createToolResult("c", "x"), createUserMessage("next")],
        },
        { ...own, model },
        (name) => name,
      )[1]
    expect(sentTo("m")).toEqual({
      role: "assistant",
      content: null,
      reasoning_details: [
        { type: "reasoning.text", text: "let me", signature: "S", index: 0 },
        { type: "reasoning.encrypted", data: "ENC", id: "r1", index: 1 },
      ],
      tool_calls: [
        {
          id: "c",
          type: "function",
          extra_content: { google: { thought_signature: "SIG" } },
          function: { name: "Read", arguments: "{}", thought: "F" },
        },
      ],
    })
    expect(JSON.stringify(sentTo("other"))).not.toMatch(/SIG|ENC|thought/)
  })

  it("gets the ids of its calls back as they were, and another model gets ids that every provider accepts", () => {
    // LiteLLM keeps Gemini's signature in the id.
    const id = `call_1__thought__${"CiQB+/".repeat(40)}=`
    const { parts } = read(call(0, id, "Read", "{}"), call(1, id, "Read", '{"a":1}'), end("tool_calls"))
    const messages = [
      createUserMessage("go"),
      createAssistantMessage(parts, own),
      createToolResult(id, "one"),
      createToolResult(`${id}~2`, "two"),
    ]
    const idsFor = (model: string) =>
      toChatMessages({ systemPrompt: "", messages }, { ...own, model }, (name) => name).flatMap((message) =>
        message.role === "assistant"
          ? (message.tool_calls ?? []).map((each) => each.id)
          : message.role === "tool"
            ? [message.tool_call_id]
            : [],
      )
    const accepted = expect.stringMatching(/^[a-zA-Z0-9_-]{1,64}$/)
    expect(idsFor("m")).toEqual([id, accepted, id, accepted])
    expect(idsFor("other")).toEqual([accepted, accepted, accepted, accepted])
    for (const model of ["m", "other"]) {
      const [first, second, ...results] = idsFor(model)
      expect(results).toEqual([first, second])
      expect(first).not.toBe(second)
    }
  })

  it("joins the pieces of a list without indexes until an item is signed", () => {
    const block = (fields: object) => delta({ thinking_blocks: [{ type: "thinking", ...fields }] })
    const answer = read(
      block({ thinking: "a", signature: "" }),
      block({ thinking: "b", signature: null }),
      block({ thinking: "", signature: "S1" }),
      block({ thinking: "c", signature: "S2" }),
      delta({ content: "x" }),
      end("stop"),
    )
    const mark = answer.parts.find((part) => part.type === "opaque")
    expect(mark?.opaque).toMatchObject({
      fields: {
        thinking_blocks: [
          { type: "thinking", thinking: "ab", signature: "S1" },
          { type: "thinking", thinking: "c", signature: "S2" },
        ],
      },
    })
  })

  it("is an answer or a classified failure, whatever any field of a chunk is", () => {
    const field = fc.option(fc.jsonValue({ maxDepth: 2 }), { nil: undefined })
    const piece = fc.record({
      content: fc.oneof(fc.constant("kept"), field),
      reasoning_content: field,
      refusal: field,
      odd: field,
      tool_calls: fc.oneof(field, fc.array(fc.record({ index: field, id: field, function: field }))),
    })
    const chunk = fc.record({
      choices: fc.oneof(field, fc.array(fc.record({ delta: fc.oneof(piece, field), finish_reason: field }))),
      usage: fc.oneof(field, fc.record({ prompt_tokens: field, completion_tokens: field })),
    })
    fc.assert(
      fc.property(fc.array(fc.oneof(chunk, fc.jsonValue())), (chunks) => {
        const result = outcome(delta({ content: "kept" }), ...chunks, end("stop"))
        if (result instanceof ModelError) return true
        const counts = "usage" in result ? Object.values(result.usage) : []
        return counts.length > 0 && counts.every((count) => Number.isSafeInteger(count) && count >= 0)
      }),
    )
  })

  it("counts each token of the prompt once: as read from a cache, as written to one, or as neither", () => {
    const details = { cached_tokens: 20, cache_write_tokens: 30 }
    const usage = { prompt_tokens: 100, prompt_tokens_details: details, completion_tokens: 5 }
    expect(read(delta({ content: "ok" }), end("stop"), { choices: [], usage }).usage).toEqual({
      inputTokens: 50,
      outputTokens: 5,
      cacheReadTokens: 20,
      cacheWriteTokens: 30,
      reasoningTokens: 0,
    })
  })
})

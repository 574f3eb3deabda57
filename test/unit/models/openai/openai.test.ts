import { describe, expect, it } from "vitest"
import { classifyModelError } from "../../../../models/failure/classify-model-error.ts"
import { openAiProvider } from "../../../../models/openai/openai.ts"
import { startFakeProvider, type FakeReply } from "../../../helpers/providers/fake-provider-server.ts"
import { createModelRequest, modelSpec, createToolResult } from "../../../helpers/providers/model-request.ts"
import {
  createOpenAiAnswer,
  createOpenAiCall,
  createOpenAiMessage,
  createPartialOpenAiAnswer,
  createOpenAiReasoningItem,
} from "../../../helpers/providers/openai-responses-wire.ts"

const items = [
  createOpenAiReasoningItem("rs_1", "Thinking about it.", "gAAA-encrypted"),
  createOpenAiMessage("msg_1", "I will read it.", { phase: "commentary" }),
  createOpenAiCall("fc_1", "call_1", { name: "Read", args: '{"file_path":"a.txt"}' }),
]

const requestTo = (url: string, fields: Parameters<typeof createModelRequest>[0] = {}) =>
  createModelRequest({ spec: modelSpec({ provider: "openai", model: "gpt-6-luna", baseUrl: `${url}/v1` }), ...fields })

const ask = async (reply: FakeReply) => {
  await using server = await startFakeProvider([reply])
  const request = requestTo(server.url)
  const message = await openAiProvider.respond(request)
  return { message, request, sent: server.requests[0] }
}

describe("openai provider", () => {
  it("reads reasoning, text and calls, with deltas in order and cached tokens apart", async () => {
    const { message, request } = await ask(createOpenAiAnswer(items))
    expect(message).toMatchObject({ provider: "openai", model: "gpt-6-luna", stop: "tool_calls" })
    expect(message.parts).toMatchObject([
      { type: "reasoning", text: "Thinking about it.", opaque: items[0] },
      { type: "opaque" },
      { type: "text", text: "I will read it." },
      { type: "tool_call", call: { id: "call_1", name: "Read", arguments: { file_path: "a.txt" } } },
    ])
    expect(request.deltas).toEqual([
      { type: "reasoning", text: "Thinking about it." },
      { type: "text", text: "I will read it." },
    ])
    expect(message.usage).toEqual({
      inputTokens: 40,
      outputTokens: 20,
      cacheReadTokens: 60,
      cacheWriteTokens: 0,
      reasoningTokens: 5,
    })
  })

  it("requests a stream that the provider does not store, with a cache key and encrypted reasoning", async () => {
    const { sent } = await ask(createOpenAiAnswer(items))
    expect(sent).toMatchObject({ method: "POST", path: "/v1/responses" })
    expect(sent?.headers.authorization).toBe("Bearer sk-test-secret-key")
    expect(sent?.body).toEqual({
      model: "gpt-6-luna",
      stream: true,
      store: false,
      include: ["reasoning.encrypted_content"],
      prompt_cache_key: "session-1",
      instructions: "You are a careful agent.",
      max_output_tokens: 1000,
      input: [{ role: "user", content: "Read a.txt." }],
      tools: [
        {
          type: "function",
          name: "Read",
          description: "Reads a file.",
          parameters: { type: "object", properties: { file_path: { type: "string" } }, required: ["file_path"] },
          strict: false,
        },
      ],
    })
  })

  it("returns a model its own items unchanged, and another model only text and calls", async () => {
    await using server = await startFakeProvider([
      createOpenAiAnswer(items),
      createOpenAiAnswer([createOpenAiMessage("msg_2", "done")]),
      createOpenAiAnswer([createOpenAiMessage("msg_3", "done")]),
    ])
    const request = requestTo(server.url)
    const stored = JSON.parse(JSON.stringify(await openAiProvider.respond(request)))
    const messages = [...request.messages, stored, createToolResult("call_1", "hello")]
    await openAiProvider.respond({ ...request, messages })
    const output = { type: "function_call_output", call_id: "call_1", output: "hello" }
    const call = { ...items[2] }
    delete call["status"]
    expect(server.requests[1]?.body["input"]).toEqual([
      { role: "user", content: "Read a.txt." },
      items[0],
      items[1],
      call,
      output,
    ])
    const other = { ...request, spec: { ...request.spec, model: "gpt-6.1-sol" }, messages }
    await openAiProvider.respond(other)
    expect(server.requests[2]?.body["input"]).toEqual([
      { role: "user", content: "Read a.txt." },
      { role: "assistant", content: "I will read it." },
      { type: "function_call", call_id: "call_1", name: "Read", arguments: '{"file_path":"a.txt"}' },
      output,
    ])
  })

  it("omits reasoning that led to nothing, and ids that the provider did not store", async () => {
    await using server = await startFakeProvider([createOpenAiAnswer([createOpenAiMessage("m", "ok")])])
    const request = requestTo(server.url)
    const cut = {
      role: "assistant" as const,
      provider: "openai",
      model: "gpt-6-luna",
      parts: [
        { type: "reasoning" as const, text: "", opaque: { type: "reasoning", id: "rs_0", summary: [] } },
        { type: "text" as const, text: "half" },
        { type: "reasoning" as const, text: "cut", opaque: items[0] },
      ],
      usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 },
      stop: "max_tokens" as const,
    }
    await openAiProvider.respond({
      ...request,
      messages: [...request.messages, cut, { role: "user", source: "notice", text: "Continue." }],
    })
    expect(server.requests[0]?.body["input"]).toEqual([
      { role: "user", content: "Read a.txt." },
      { role: "assistant", content: "half" },
      { role: "user", content: "Continue." },
    ])
  })

  it.each([
    [{ status: "incomplete", incompleteReason: "max_output_tokens" }, "max_tokens"],
    [{ status: "incomplete", incompleteReason: "content_filter" }, "refusal"],
    [{}, "end_turn"],
  ] as const)("maps status %j to %s", async (options, stop) => {
    const { message } = await ask(createOpenAiAnswer([createOpenAiMessage("m", "text")], options))
    expect(message.stop).toBe(stop)
  })

  it("reads a refusal, with its words as text", async () => {
    const refusal = createOpenAiMessage("m", "", { content: [{ type: "refusal", refusal: "I will not." }] })
    const { message } = await ask(createOpenAiAnswer([refusal]))
    expect(message.stop).toBe("refusal")
    expect(message.parts).toContainEqual({ type: "text", text: "I will not." })
  })

  it.each([
    ["server_error", "it broke", "retry", undefined],
    ["rate_limit_exceeded", "Please try again in 11.054s.", "retry", 11_054],
    ["server_is_overloaded", "it broke", "retry", undefined],
    ["a_code_that_no_table_has", "it broke", "retry", undefined],
    ["invalid_prompt", "it broke", "bad_request", undefined],
    ["context_length_exceeded", "it broke", "context_exceeded", undefined],
    ["insufficient_quota", "it broke", "quota", undefined],
  ])("throws if the response failed with %s: %s, %s", async (code, message, kind, retryAfterMs) => {
    const request = createModelRequest({ spec: modelSpec({ provider: "openai", model: "gpt-6-luna" }) })
    const failed = ask(createOpenAiAnswer([], { status: "failed", error: { code, message } }))
    const error = await failed.catch((thrown: unknown) => thrown)
    expect(classifyModelError(error, request)).toMatchObject({
      kind,
      retryAfterMs,
      message: expect.stringContaining(message),
    })
  })

  it.each(["cut", "end"] as const)("retries a stream that ends before its response (%s)", async (ending) => {
    await using server = await startFakeProvider([createPartialOpenAiAnswer(items, 4, ending)])
    const request = requestTo(server.url)
    const error = await openAiProvider.respond(request).catch((thrown: unknown) => thrown)
    expect(classifyModelError(error, request).kind).toBe("retry")
  })

  it("reads a whole response in place of a stream, and counts that are texts", async () => {
    const usage = { input_tokens: "9", output_tokens: "many" }
    const body = {
      object: "response",
      status: "completed",
      output: [items[2], { type: "message", content: "hi" }],
      usage,
    }
    const { message } = await ask({ kind: "http", status: 200, body })
    expect(message).toMatchObject({ stop: "tool_calls", usage: { inputTokens: 9, outputTokens: 0 } })
    expect(message.parts).toMatchObject([{ call: { id: "call_1" } }, {}, { text: "hi" }])
  })

  it("closes the connection to the provider on an abort in the middle of an answer", async () => {
    await using server = await startFakeProvider([createPartialOpenAiAnswer(items, 4, "hang")])
    const controller = new AbortController()
    const request = requestTo(server.url, { signal: controller.signal, onDelta: () => controller.abort() })
    const error = await openAiProvider.respond(request).catch((thrown: unknown) => thrown)
    expect(classifyModelError(error, request).kind).toBe("aborted")
    expect(await server.requests[0]?.left).toBe(true)
  })

  it("requests reasoning only if the profile sets it and the model supports it", async () => {
    await using server = await startFakeProvider([createOpenAiAnswer([createOpenAiMessage("m", "ok")])])
    const bodyFor = async (model: string, thinking?: "off" | "high") => {
      const spec = modelSpec({ provider: "openai", model, thinking, baseUrl: `${server.url}/v1` })
      await openAiProvider.respond(createModelRequest({ spec }))
      return server.requests.at(-1)?.body
    }
    expect((await bodyFor("gpt-6-luna", "high"))?.["reasoning"]).toEqual({ effort: "high", summary: "auto" })
    expect((await bodyFor("gpt-6-luna", "off"))?.["reasoning"]).toEqual({ effort: "none" })
    expect((await bodyFor("o3", "off"))?.["reasoning"]).toEqual({ effort: "low" })
    const old = await bodyFor("gpt-4.1-mini", "high")
    expect(old).not.toHaveProperty("reasoning")
    expect(old).not.toHaveProperty("include")
  })
})

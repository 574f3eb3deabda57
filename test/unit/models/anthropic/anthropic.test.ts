import { describe, expect, it } from "vitest"
import { anthropicProvider } from "../../../../models/anthropic/anthropic.ts"
import { toWireName } from "../../../../models/wire/wire-name.ts"
import { classifyModelError } from "../../../../models/failure/classify-model-error.ts"
import {
  createAnthropicAnswer,
  createPartialAnthropicAnswer,
  createAnthropicText,
  type AnthropicBlock,
} from "../../../helpers/providers/anthropic-wire.ts"
import { startFakeProvider, type FakeReply } from "../../../helpers/providers/fake-provider-server.ts"
import { createModelRequest, modelSpec, createToolResult } from "../../../helpers/providers/model-request.ts"

const thinkThenCall: AnthropicBlock[] = [
  { type: "thinking", pieces: ["Let me ", "look."], signature: "sig-1" },
  { type: "redacted_thinking", data: "hidden" },
  { type: "text", pieces: ["I read", " it."] },
  { type: "tool_use", id: "toolu_1", name: "Read", pieces: ['{"file_', 'path":"a.txt"}'] },
]

const ask = async (reply: FakeReply, fields: Parameters<typeof createModelRequest>[0] = {}) => {
  await using server = await startFakeProvider([reply])
  const request = createModelRequest({ spec: modelSpec({ baseUrl: server.url }), ...fields })
  const message = await anthropicProvider.respond(request)
  return { message, request, sent: server.requests[0] }
}

describe("anthropic provider", () => {
  it("reads thinking, text and tool calls, and emits deltas in the order in which they were streamed", async () => {
    const { message, request } = await ask(createAnthropicAnswer(thinkThenCall))
    expect(message.parts).toEqual([
      {
        type: "reasoning",
        text: "Let me look.",
        opaque: { type: "thinking", thinking: "Let me look.", signature: "sig-1" },
      },
      { type: "opaque", opaque: { type: "redacted_thinking", data: "hidden" } },
      { type: "text", text: "I read it." },
      { type: "tool_call", call: { id: "toolu_1", name: "Read", arguments: { file_path: "a.txt" } } },
    ])
    expect(message).toMatchObject({ provider: "anthropic", model: "claude-opus-5-5", stop: "tool_calls" })
    expect(request.deltas).toEqual([
      { type: "reasoning", text: "Let me " },
      { type: "reasoning", text: "look." },
      { type: "text", text: "I read" },
      { type: "text", text: " it." },
    ])
  })

  it("sends one streamed request with cache marks, the key in its header and no sampling settings", async () => {
    const { sent } = await ask(createAnthropicText("hi"))
    expect(sent).toMatchObject({ method: "POST", path: "/v1/messages" })
    expect(sent?.headers.authorization).toBe("Bearer sk-test-secret-key")
    expect(sent?.headers["x-stainless-timeout"]).toBe("1800")
    const mark = { cache_control: { type: "ephemeral" } }
    expect(sent?.body).toEqual({
      model: "claude-opus-5-5",
      max_tokens: 1000,
      stream: true,
      system: [{ type: "text", text: "You are a careful agent.", ...mark }],
      tools: [
        {
          name: "Read",
          description: "Reads a file.",
          input_schema: { type: "object", properties: { file_path: { type: "string" } }, required: ["file_path"] },
          ...mark,
        },
      ],
      messages: [{ role: "user", content: [{ type: "text", text: "Read a.txt.", ...mark }] }],
    })
  })

  it("accepts a base URL that already ends in /v1", async () => {
    await using server = await startFakeProvider([createAnthropicText("hi")])
    await anthropicProvider.respond(createModelRequest({ spec: modelSpec({ baseUrl: `${server.url}/v1` }) }))
    expect(server.requests[0]?.path).toBe("/v1/messages")
  })

  it("returns thinking blocks unchanged with the results of their turn", async () => {
    await using server = await startFakeProvider([createAnthropicAnswer(thinkThenCall), createAnthropicText("done")])
    const request = createModelRequest({ spec: modelSpec({ baseUrl: server.url }) })
    const first = await anthropicProvider.respond(request)
    // As a store would return it.
    const stored = JSON.parse(JSON.stringify(first))
    await anthropicProvider.respond({
      ...request,
      messages: [...request.messages, stored, createToolResult("toolu_1", "hello")],
    })
    expect(server.requests[1]?.body["messages"]).toMatchObject([
      { role: "user" },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Let me look.", signature: "sig-1" },
          { type: "redacted_thinking", data: "hidden" },
          { type: "text", text: "I read it." },
          { type: "tool_use", id: "toolu_1", name: "Read", input: { file_path: "a.txt" } },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "hello" }] },
    ])
  })

  it.each([
    ["end_turn", "end_turn"],
    ["stop_sequence", "end_turn"],
    ["max_tokens", "max_tokens"],
    ["pause_turn", "pause_turn"],
    ["refusal", "refusal"],
    ["model_context_window_exceeded", "context_exceeded"],
    ["a_reason_of_tomorrow", "unknown"],
  ])("maps stop reason %s to %s", async (stopReason, stop) => {
    const { message } = await ask(createAnthropicText("text", { stopReason }))
    expect(message.stop).toBe(stop)
  })

  it("keeps the text of arguments that are not JSON", async () => {
    const { message } = await ask(
      createAnthropicAnswer([{ type: "tool_use", id: "toolu_1", name: "Read", pieces: ['{"file_path": "a'] }]),
    )
    expect(message.parts).toEqual([
      { type: "tool_call", call: { id: "toolu_1", name: "Read", arguments: null, raw_arguments: '{"file_path": "a' } },
    ])
  })

  it("reports the last usage totals, cached tokens apart", async () => {
    const { message } = await ask(
      createAnthropicText("hi", {
        usage: {
          input_tokens: 7,
          output_tokens: 42,
          cache_read_input_tokens: 1000,
          cache_creation_input_tokens: 50,
          output_tokens_details: { thinking_tokens: 30 },
        },
      }),
    )
    expect(message.usage).toEqual({
      inputTokens: 7,
      outputTokens: 42,
      cacheReadTokens: 1000,
      cacheWriteTokens: 50,
      reasoningTokens: 30,
    })
  })

  it.each(["cut", "end"] as const)("retries a stream that ends before its message (%s)", async (ending) => {
    await using server = await startFakeProvider([createPartialAnthropicAnswer(thinkThenCall, 6, ending)])
    const request = createModelRequest({ spec: modelSpec({ baseUrl: server.url }) })
    const error = await anthropicProvider.respond(request).catch((thrown: unknown) => thrown)
    expect(classifyModelError(error, request).kind).toBe("retry")
  })

  it("reads a whole message in place of a stream, and counts that are texts", async () => {
    const call = { type: "tool_use", id: "t", name: "Read", input: { file_path: "a" } }
    const body = {
      type: "message",
      content: [{ type: "text", text: "hi" }, call],
      stop_reason: "tool_use",
      usage: { input_tokens: "9" },
    }
    const { message } = await ask({ kind: "http", status: 200, body })
    expect(message).toMatchObject({ stop: "tool_calls", usage: { inputTokens: 9, outputTokens: 0 } })
    expect(message.parts).toMatchObject([{ text: "hi" }, { call: { id: "t", arguments: { file_path: "a" } } }])
  })

  it("closes the connection to the provider on an abort in the middle of an answer", async () => {
    await using server = await startFakeProvider([createPartialAnthropicAnswer(thinkThenCall, 6, "hang")])
    const controller = new AbortController()
    const request = createModelRequest({
      spec: modelSpec({ baseUrl: server.url }),
      signal: controller.signal,
      onDelta: () => controller.abort(),
    })
    const error = await anthropicProvider.respond(request).catch((thrown: unknown) => thrown)
    expect(classifyModelError(error, request).kind).toBe("aborted")
    expect(await server.requests[0]?.left).toBe(true)
  })

  it("closes the connection on an abort before the first byte", async () => {
    await using server = await startFakeProvider([{ kind: "silence" }])
    const controller = new AbortController()
    const request = createModelRequest({ spec: modelSpec({ baseUrl: server.url }), signal: controller.signal })
    const outcome = anthropicProvider.respond(request).catch((thrown: unknown) => thrown)
    const received = await server.waitForRequest(1)
    controller.abort()
    expect(classifyModelError(await outcome, request).kind).toBe("aborted")
    expect(await received.left).toBe(true)
  })

  it("makes one request only, whatever the failure", async () => {
    await using server = await startFakeProvider([{ kind: "http", status: 500, body: {} }])
    await expect(
      anthropicProvider.respond(createModelRequest({ spec: modelSpec({ baseUrl: server.url }) })),
    ).rejects.toThrow()
    expect(server.requests).toHaveLength(1)
  })

  it("names the variable to set if there is no key", async () => {
    await expect(anthropicProvider.respond(createModelRequest({ apiKey: undefined }))).rejects.toMatchObject({
      kind: "auth",
      message: expect.stringContaining("ANTHROPIC_API_KEY"),
    })
  })

  it("renames tools whose names the API rejects, and maps them back", async () => {
    const name = toWireName("mcp__docs__find.page")
    await using server = await startFakeProvider([
      createAnthropicAnswer([{ type: "tool_use", id: "t", name, pieces: ["{}"] }]),
    ])
    const message = await anthropicProvider.respond(
      createModelRequest({
        spec: modelSpec({ baseUrl: server.url }),
        tools: [{ name: "mcp__docs__find.page", description: "", inputSchema: {} }],
      }),
    )
    expect(server.requests[0]?.body["tools"]).toMatchObject([
      { name, input_schema: { type: "object", properties: {} } },
    ])
    expect(message.parts).toMatchObject([{ type: "tool_call", call: { name: "mcp__docs__find.page" } }])
  })
})

import { describe, expect, it } from "vitest"
import { classifyModelError } from "../../../../models/failure/classify-model-error.ts"
import { openAiCompatibleProvider } from "../../../../models/openai/openai-compatible.ts"
import { createChatAnswer, createPartialChatAnswer, createChatText } from "../../../helpers/providers/chat-wire.ts"
import { startFakeProvider, type FakeReply } from "../../../helpers/providers/fake-provider-server.ts"
import {
  createAssistantMessage,
  createCallPart,
  createModelRequest,
  modelSpec,
  createToolResult,
  createUserMessage,
} from "../../../helpers/providers/model-request.ts"

const requestTo = (baseUrl: string, fields: Parameters<typeof createModelRequest>[0] = {}) =>
  createModelRequest({ spec: modelSpec({ provider: "openai-compatible", model: "qwen3", baseUrl }), ...fields })

const ask = async (reply: FakeReply, fields: Parameters<typeof createModelRequest>[0] = {}) => {
  await using server = await startFakeProvider([reply])
  const request = requestTo(`${server.url}/v1`, fields)
  const message = await openAiCompatibleProvider.respond(request)
  return { message, request, sent: server.requests[0] }
}

/** Returns the classified failure of one request. */
const failureOf = async (reply: FakeReply) => {
  await using server = await startFakeProvider([reply])
  const request = requestTo(`${server.url}/v1`)
  const thrown = await openAiCompatibleProvider.respond(request).catch((error: unknown) => error)
  expect(server.requests).toHaveLength(1)
  return classifyModelError(thrown, request)
}

const callDelta = (fields: object) => ({ tool_calls: [fields] })

describe("openai-compatible provider", () => {
  it("assembles calls from their pieces, even interleaved ones", async () => {
    const { message } = await ask(
      createChatAnswer(
        [
          { role: "assistant", content: null },
          callDelta({ index: 0, id: "a", type: "function", function: { name: "Read", arguments: "" } }),
          callDelta({ index: 1, id: "b", type: "function", function: { name: "Read", arguments: '{"file_path"' } }),
          callDelta({ index: 0, function: { arguments: '{"file_path":"a"}' } }),
          callDelta({ index: 1, function: { arguments: ':"b"}' } }),
        ],
        { finishReason: "tool_calls" },
      ),
    )
    expect(message.stop).toBe("tool_calls")
    expect(message.parts).toEqual([
      { type: "tool_call", call: { id: "a", name: "Read", arguments: { file_path: "a" } } },
      { type: "tool_call", call: { id: "b", name: "Read", arguments: { file_path: "b" } } },
    ])
  })

  it("derives ids from the position in the transcript if the server sends none, the same in a retry", async () => {
    const reply = createChatAnswer([
      callDelta({ function: { name: "Read", arguments: '{"file_path":"a"}' } }),
      callDelta({ function: { name: "Read", arguments: '{"file_path":"b"}' } }),
    ])
    const messages = [
      createUserMessage("go"),
      createAssistantMessage([{ type: "text", text: "hm" }]),
      createUserMessage("on"),
    ]
    const first = await ask(reply, { messages })
    const again = await ask(reply, { messages })
    expect(first.message.parts).toMatchObject([{ call: { id: "call_2_1" } }, { call: { id: "call_2_2" } }])
    expect(again.message.parts).toEqual(first.message.parts)
  })

  it("distinguishes calls if the server gives all of them one index", async () => {
    const { message } = await ask(
      createChatAnswer([
        callDelta({ index: 0, id: "a", function: { name: "Read", arguments: '{"file_path":"a"}' } }),
        callDelta({ index: 0, id: "b", function: { name: "Read", arguments: '{"file_path":"b"}' } }),
      ]),
    )
    expect(message.parts).toMatchObject([
      { call: { id: "a", arguments: { file_path: "a" } } },
      { call: { id: "b", arguments: { file_path: "b" } } },
    ])
  })

  it('reads calls even if the finish reason is "stop", and accepts arguments that are an object', async () => {
    const { message } = await ask(
      createChatAnswer([callDelta({ index: 0, id: "a", function: { name: "Read", arguments: { file_path: "a" } } })], {
        finishReason: "stop",
      }),
    )
    expect(message.stop).toBe("tool_calls")
    expect(message.parts).toMatchObject([{ call: { arguments: { file_path: "a" } } }])
  })

  it("makes ids that repeat within one answer unique", async () => {
    const { message } = await ask(
      createChatAnswer([
        callDelta({ index: 0, id: "x", function: { name: "Read", arguments: "{}" } }),
        callDelta({ index: 1, id: "x", function: { name: "Read", arguments: '{"file_path":"a"}' } }),
      ]),
    )
    expect(message.parts).toMatchObject([{ call: { id: "x" } }, { call: { id: "x~2" } }])
  })

  it.each([
    ["stop", "end_turn"],
    ["length", "max_tokens"],
    ["content_filter", "refusal"],
  ])("maps finish reason %s to %s", async (finishReason, stop) => {
    const { message } = await ask(createChatAnswer([{ content: "text" }], { finishReason }))
    expect(message.stop).toBe(stop)
  })

  it.each([
    ["breaks off at the limit of the answer", '{"content":"xxx', 1000, "max_tokens"],
    ["breaks off before it", '{"content":"xxx', 999, "tool_calls"],
    ["is complete", '{"content":"xxx"}', 1000, "tool_calls"],
    ["is wrong, but complete", '{"content":}', 1000, "tool_calls"],
  ])("counts a call that %s by its tokens, whatever the finish reason says", async (_what, args, tokens, stop) => {
    const { message } = await ask(
      createChatAnswer([callDelta({ index: 0, id: "a", function: { name: "Write", arguments: args } })], {
        finishReason: "tool_calls",
        usage: { prompt_tokens: 30, completion_tokens: tokens },
      }),
    )
    expect(message.stop).toBe(stop)
  })

  it("reads usage from the last chunk", async () => {
    const usage = { prompt_tokens: 30, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 10 } }
    const { message } = await ask(createChatAnswer([{ content: "text" }], { usage }))
    expect(message.usage).toMatchObject({ inputTokens: 20, outputTokens: 7, cacheReadTokens: 10 })
  })

  it("estimates usage if the server reports none, so that budgets apply", async () => {
    const { message } = await ask(createChatAnswer([{ content: "some words ".repeat(50) }], { usage: null }))
    expect(message.usage.outputTokens).toBe(100)
    expect(message.usage.inputTokens).toBeGreaterThan(10)
  })

  it("estimates the tools, too: without them, the prompt would seem to be cut", async () => {
    const tools = [{ name: "Read", description: "some words ".repeat(500), inputSchema: { type: "object" } }]
    const { message } = await ask(createChatAnswer([{ content: "text" }], { usage: null }), { tools })
    expect(message.usage.inputTokens).toBeGreaterThan(1_000)
  })

  it("uses the base URL unchanged", async () => {
    await using server = await startFakeProvider([createChatText("hi")])
    await openAiCompatibleProvider.respond(requestTo(`${server.url}/v1`))
    await openAiCompatibleProvider.respond(requestTo(`${server.url}/v1/`))
    await openAiCompatibleProvider.respond(requestTo(server.url))
    expect(server.requests.map((request) => request.path)).toEqual([
      "/v1/chat/completions",
      "/v1/chat/completions",
      "/chat/completions",
    ])
  })

  it("sends only fields that every server knows, and no credentials without a key", async () => {
    const { sent } = await ask(createChatText("hi"), { apiKey: undefined })
    expect(sent?.headers).not.toHaveProperty("authorization")
    expect(sent?.headers).not.toHaveProperty("openai-organization")
    expect(sent?.body).toEqual({
      model: "qwen3",
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 1000,
      messages: [
        { role: "system", content: "You are a careful agent." },
        { role: "user", content: "Read a.txt." },
      ],
      tools: [
        {
          type: "function",
          function: {
            name: "Read",
            description: "Reads a file.",
            parameters: { type: "object", properties: { file_path: { type: "string" } }, required: ["file_path"] },
          },
        },
      ],
    })
    const withoutTools = await ask(createChatText("hi"), { tools: [], systemPrompt: "" })
    expect(withoutTools.sent?.body).not.toHaveProperty("tools")
    expect(withoutTools.sent?.body["messages"]).toEqual([{ role: "user", content: "Read a.txt." }])
    expect(withoutTools.sent?.headers.authorization).toBe("Bearer sk-test-secret-key")
  })

  it("writes results and texts as their roles require, with arguments that always parse", async () => {
    const { sent } = await ask(createChatText("hi"), {
      systemPrompt: "",
      messages: [
        createUserMessage("go"),
        createAssistantMessage([
          { type: "text", text: "ok" },
          createCallPart("a", null, "{oops"),
          createCallPart("b", { n: 1 }),
        ]),
        createToolResult("a", "bad arguments", { outcome: "error" }),
        createToolResult("b", "fine"),
        createUserMessage("one"),
        createUserMessage("two"),
      ],
    })
    expect(sent?.body["messages"]).toEqual([
      { role: "user", content: "go" },
      {
        role: "assistant",
        content: "ok",
        tool_calls: [
          { id: "a", type: "function", function: { name: "Read", arguments: '{"INVALID_JSON":"{oops"}' } },
          { id: "b", type: "function", function: { name: "Read", arguments: '{"n":1}' } },
        ],
      },
      { role: "tool", tool_call_id: "a", content: "bad arguments" },
      { role: "tool", tool_call_id: "b", content: "fine" },
      { role: "user", content: "one\n\ntwo" },
    ])
  })

  it("returns reasoning only to its own model within a tool loop", async () => {
    await using server = await startFakeProvider([
      createChatAnswer([
        { reasoning_content: "think " },
        { reasoning_content: "hard" },
        callDelta({ index: 0, id: "a", function: { name: "Read", arguments: "{}" } }),
      ]),
      createChatText("done"),
    ])
    const request = requestTo(`${server.url}/v1`)
    const first = await openAiCompatibleProvider.respond(request)
    expect(request.deltas).toEqual([
      { type: "reasoning", text: "think " },
      { type: "reasoning", text: "hard" },
    ])
    const messages = [...request.messages, first, createToolResult("a", "x")]
    const assistantAt = (index: number) => {
      const sent = server.requests[index]?.body["messages"]
      return Array.isArray(sent) ? sent.find((message) => message.role === "assistant") : undefined
    }
    await openAiCompatibleProvider.respond({ ...request, messages })
    expect(assistantAt(1)).toMatchObject({ reasoning_content: "think hard", content: null })
    await openAiCompatibleProvider.respond({ ...request, messages: [...messages, createUserMessage("next")] })
    expect(assistantAt(2)).not.toHaveProperty("reasoning_content")
    await openAiCompatibleProvider.respond({ ...request, spec: { ...request.spec, model: "other" }, messages })
    expect(assistantAt(3)).not.toHaveProperty("reasoning_content")
  })

  it.each([
    ["a stream that breaks off", createPartialChatAnswer([{ content: "a" }, { content: "b" }], 1, "cut")],
    [
      "a stream that ends without a finish reason",
      createPartialChatAnswer([{ content: "a" }, { content: "b" }], 1, "end"),
    ],
    ["an event that is not JSON", { kind: "sse", events: [{ data: "{garbage" }] }],
    ["an error inside the stream", { kind: "sse", events: [{ data: { error: { message: "busy", code: 502 } } }] }],
  ] satisfies [string, FakeReply][])("retries %s", async (_what, reply) => {
    await using server = await startFakeProvider([reply])
    const request = requestTo(`${server.url}/v1`)
    const error = await openAiCompatibleProvider.respond(request).catch((thrown: unknown) => thrown)
    expect(classifyModelError(error, request)).toMatchObject({ name: "ModelError", kind: "retry" })
  })

  it.each([
    [
      "a full context in the last chunk",
      [
        { choices: [{ delta: { content: "a" } }] },
        {
          choices: [{ delta: {}, finish_reason: "error" }],
          error: { code: 400, message: "This endpoint's maximum context length is 10 tokens" },
        },
      ],
      "context_exceeded",
      "maximum context length",
    ],
    ["an unknown key", [{ error: { code: 401, message: "User not found." } }], "auth", "User not found"],
    ["a limit, as text", [{ error: { code: "429", message: "slow down" } }], "retry", "slow down"],
    ["nothing that is known", [{ error: { message: "odd" } }], "bad_request", "odd"],
    [
      "nothing that is known, after the answer has begun",
      [{ choices: [{ delta: { content: "a" } }] }, { error: { message: "odd" } }],
      "retry",
      "odd",
    ],
    [
      "an error in a choice",
      [{ choices: [{ error: { code: 402, message: "no credits" }, delta: {} }] }],
      "quota",
      "no credits",
    ],
  ] satisfies [string, unknown[], string, string][])(
    "classifies an error inside a stream: %s",
    async (_what, events, kind, message) => {
      const failure = await failureOf({ kind: "sse", events: events.map((data) => ({ data })) })
      expect(failure).toMatchObject({ kind, message: expect.stringContaining(message) })
    },
  )

  it.each([
    [{ error: { message: "Insufficient credits. Add more.", code: 402 } }, "quota", "Insufficient credits"],
    [{ error: "invalid model name passed" }, "bad_request", "invalid model name passed"],
    [{ detail: "no such route" }, "bad_request", "no such route"],
    [[{ error: { code: 400, message: "bad field" } }], "bad_request", "bad field"],
    [{ hello: "world" }, "bad_request", "baseUrl"],
    ["<html>proxy</html>", "bad_request", "baseUrl"],
  ])("classifies a document in place of a stream: %j", async (body, kind, message) => {
    const failure = await failureOf({ kind: "http", status: 200, body })
    expect(failure).toMatchObject({ kind, message: expect.stringContaining(message) })
  })

  it("shows the sentence of an error body that has no field error", async () => {
    const failure = await failureOf({ kind: "http", status: 400, body: { detail: "Tool 3 has no name" } })
    expect(failure).toMatchObject({ kind: "bad_request", message: expect.stringContaining("Tool 3 has no name") })
  })

  it("closes the connection to the server on an abort in the middle of an answer", async () => {
    await using server = await startFakeProvider([createPartialChatAnswer([{ content: "a" }], 1, "hang")])
    const controller = new AbortController()
    const request = requestTo(`${server.url}/v1`, { signal: controller.signal, onDelta: () => controller.abort() })
    const error = await openAiCompatibleProvider.respond(request).catch((thrown: unknown) => thrown)
    expect(classifyModelError(error, request).kind).toBe("aborted")
    expect(await server.requests[0]?.left).toBe(true)
  })

  it("names the setting if there is no base URL", async () => {
    const request = createModelRequest({ spec: modelSpec({ provider: "openai-compatible" }) })
    await expect(openAiCompatibleProvider.respond(request)).rejects.toThrow("baseUrl")
  })
})

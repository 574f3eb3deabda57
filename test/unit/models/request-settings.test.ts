import { afterEach, describe, expect, it, vi } from "vitest"
import type { ModelSpec } from "../../../contracts/run-snapshot.ts"
import { anthropicProvider } from "../../../models/anthropic/anthropic.ts"
import type { ModelProvider } from "../../../models/model-provider.ts"
import { openAiCompatibleProvider } from "../../../models/openai/openai-compatible.ts"
import { openAiProvider } from "../../../models/openai/openai.ts"
import { requestHeaders } from "../../../models/request-headers.ts"
import { createVendorClient } from "../../../models/vendor-environment.ts"
import { createAnthropicText } from "../../helpers/providers/anthropic-wire.ts"
import { createChatAnswer, createChatText } from "../../helpers/providers/chat-wire.ts"
import { type FakeReply, startFakeProvider } from "../../helpers/providers/fake-provider-server.ts"
import {
  createAssistantMessage,
  createModelRequest,
  createToolResult,
  createUserMessage,
  modelSpec,
} from "../../helpers/providers/model-request.ts"
import { createOpenAiAnswer, createOpenAiMessage } from "../../helpers/providers/openai-responses-wire.ts"

afterEach(() => vi.unstubAllEnvs())

const providers: readonly (readonly [ModelSpec["provider"], ModelProvider, FakeReply])[] = [
  ["anthropic", anthropicProvider, createAnthropicText("hi")],
  ["openai", openAiProvider, createOpenAiAnswer([createOpenAiMessage("m", "hi")])],
  ["openai-compatible", openAiCompatibleProvider, createChatText("hi")],
]

describe.each(providers)("a request to %s", (provider, { respond }, reply) => {
  const send = async (fields: Partial<ModelSpec>, headers?: Record<string, string>) => {
    await using server = await startFakeProvider([reply])
    const spec = modelSpec({ provider, model: "gpt-4.1", baseUrl: `${server.url}/v1`, ...fields })
    await respond({ ...createModelRequest({ spec }), ...(headers === undefined ? {} : { headers }) })
    return server.requests[0]
  }

  it("has the headers and fields of its model", async () => {
    const sent = await send({ extraBody: { service_tier: "flex", routing: { only: ["a"] } } }, { "X-Team": "search" })
    expect(sent?.headers["x-team"]).toBe("search")
    expect(sent?.headers.authorization).toBe("Bearer sk-test-secret-key")
    expect(sent?.body).toMatchObject({ service_tier: "flex", routing: { only: ["a"] } })
  })

  it("keeps its tools and forbids calls where the answer is to have none", async () => {
    await using server = await startFakeProvider([reply])
    const spec = modelSpec({ provider, model: "gpt-4.1", baseUrl: `${server.url}/v1` })
    const tools = [{ name: "Read", description: "", inputSchema: { type: "object", properties: {} } }]
    for (const fields of [{ tools }, { tools, withoutCalls: true }, { tools: [], withoutCalls: true }])
      await respond(createModelRequest({ spec, ...fields }))
    const [free, closed, without] = server.requests.map(({ body }) => body)
    expect(closed?.["tools"]).toEqual(free?.["tools"])
    expect([free, closed, without].map((body) => body?.["tool_choice"])).toEqual([
      undefined,
      provider === "anthropic" ? { type: "none" } : "none",
      undefined,
    ])
  })

  it("shows a call that was made by call_tool as the model made it, whether or not its tool is in the list", async () => {
    await using server = await startFakeProvider([reply])
    const spec = modelSpec({ provider, model: "gpt-4.1", baseUrl: `${server.url}/v1` })
    const call = { id: "c1", name: "mcp__s__$odd name", arguments: { $a: 1 }, by_call_tool: true as const }
    const messages = [
      createUserMessage("Do it."),
      createAssistantMessage([{ type: "tool_call", call }], { provider, model: spec.model }),
      createToolResult("c1", "did it", { name: call.name }),
    ]
    const odd = { name: call.name, description: "", inputSchema: { type: "object", properties: { $a: {} } } }
    await respond(createModelRequest({ spec, messages, tools: [] }))
    await respond(createModelRequest({ spec, messages, tools: [odd] }))
    const sent = server.requests.map(({ body }) => JSON.stringify(body["messages"] ?? body["input"]))
    expect(sent[0]).toContain('"name":"call_tool"')
    expect(sent[0]?.replaceAll("\\", "")).toContain('{"name":"mcp__s__$odd name","arguments":{"$a":1}}')
    expect(sent[1]).toBe(sent[0])
  })

  it("has no part of the environment that is for the vendor's own server", async () => {
    const secret = "X-Corp-Gateway-Token: corp-secret-token-42\nAuthorization: Bearer other"
    vi.stubEnv("OPENAI_CUSTOM_HEADERS", secret)
    vi.stubEnv("ANTHROPIC_CUSTOM_HEADERS", secret)
    for (const name of ["OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "OPENAI_ADMIN_KEY", "ANTHROPIC_AUTH_TOKEN"])
      vi.stubEnv(name, "corp-secret-token-42")
    const sent = await send({})
    expect(JSON.stringify(sent?.headers)).not.toContain("corp-secret-token-42")
    expect(sent?.headers.authorization).toBe("Bearer sk-test-secret-key")
    expect(process.env["OPENAI_CUSTOM_HEADERS"]).toBe(secret)
  })
})

it.each([
  ["https://api.openai.com/v1", true],
  ["https://eu.api.openai.com/v1", true],
  ["http://api.openai.com/v1", false],
  ["https://api.openai.com.evil.example/v1", false],
  ["https://notopenai.com/v1", false],
  ["not an address", false],
])("shows a client for %s the vendor's variables: %s", (address, isShown) => {
  vi.stubEnv("OPENAI_CUSTOM_HEADERS", "a: b")
  const seen = createVendorClient(
    { address, domain: "openai.com", variables: ["OPENAI_CUSTOM_HEADERS"] },
    () => process.env["OPENAI_CUSTOM_HEADERS"] !== undefined,
  )
  expect(seen).toBe(isShown)
})

it("sends a temperature only if the model has one", async () => {
  for (const [provider, { respond }, reply] of providers.slice(1)) {
    await using server = await startFakeProvider([reply])
    const spec = modelSpec({ provider, model: "gpt-4.1", baseUrl: `${server.url}/v1` })
    await respond(createModelRequest({ spec }))
    await respond(createModelRequest({ spec: { ...spec, temperature: 0 } }))
    expect(server.requests.map(({ body }) => body["temperature"])).toEqual([undefined, 0])
  }
})

it("speaks the dialect of a server", async () => {
  const thought = createChatAnswer([
    { reasoning_content: "hm" },
    { tool_calls: [{ index: 0, id: "a", function: { name: "Read", arguments: "{}" } }] },
  ])
  await using server = await startFakeProvider([thought])
  const dialect = {
    maxTokensField: "max_completion_tokens",
    systemRole: "developer",
    reasoningField: "reasoning",
  } as const
  const spec = modelSpec({ provider: "openai-compatible", model: "m", baseUrl: server.url, dialect })
  const request = createModelRequest({ spec })
  const first = await openAiCompatibleProvider.respond(request)
  const messages = [...request.messages, first, createToolResult("a", "x")]
  await openAiCompatibleProvider.respond({ ...request, messages })
  await openAiCompatibleProvider.respond({
    ...request,
    messages,
    spec: { ...spec, dialect: { ...dialect, reasoningField: "none" } },
  })
  const [, second, third] = server.requests.map(({ body }) => body)
  expect(second).toMatchObject({
    max_completion_tokens: 1000,
    messages: [{ role: "developer" }, { role: "user" }, { role: "assistant", reasoning: "hm" }, { role: "tool" }],
  })
  expect(second).not.toHaveProperty("max_tokens")
  expect(JSON.stringify(second)).not.toContain("reasoning_content")
  expect(JSON.stringify(third)).not.toContain("hm")
})

it("sends strict schemas to a server that takes them, for the tools whose schema can be strict", async () => {
  await using server = await startFakeProvider([createChatText("hi")])
  const spec = modelSpec({ provider: "openai-compatible", model: "m", baseUrl: server.url })
  const closed = { type: "object", properties: { a: { type: "string" } } }
  const open = { type: "object", properties: { a: { type: "object" } } }
  const tools = [
    { name: "closed", description: "", inputSchema: closed },
    { name: "open", description: "", inputSchema: open },
  ]
  await openAiCompatibleProvider.respond(createModelRequest({ spec, tools }))
  await openAiCompatibleProvider.respond(createModelRequest({ spec: { ...spec, dialect: { strict: true } }, tools }))
  const [plain, strict] = server.requests.map(({ body }) => body["tools"])
  expect(JSON.stringify(plain)).not.toContain("strict")
  expect(strict).toEqual([
    {
      type: "function",
      function: {
        name: "closed",
        description: "",
        strict: true,
        parameters: {
          type: "object",
          properties: { a: { type: ["string", "null"] } },
          required: ["a"],
          additionalProperties: false,
        },
      },
    },
    { type: "function", function: { name: "open", description: "", parameters: open } },
  ])
})

it("sends strict schemas over Responses, too, where the model is configured so", async () => {
  await using server = await startFakeProvider([createOpenAiAnswer([createOpenAiMessage("m", "hi")])])
  const spec = modelSpec({ provider: "openai", model: "m", baseUrl: `${server.url}/v1` })
  const closed = { type: "object", properties: { a: { type: "string" } } }
  const open = { type: "object", properties: { a: { type: "object" } } }
  const tools = [
    { name: "closed", description: "", inputSchema: closed },
    { name: "open", description: "", inputSchema: open },
  ]
  await openAiProvider.respond(createModelRequest({ spec, tools }))
  await openAiProvider.respond(createModelRequest({ spec: { ...spec, dialect: { strict: true } }, tools }))
  const tool = { type: "function", description: "" }
  const ownSchemas = [
    { ...tool, name: "closed", strict: false, parameters: closed },
    { ...tool, name: "open", strict: false, parameters: open },
  ]
  const strict = {
    type: "object",
    properties: { a: { type: ["string", "null"] } },
    required: ["a"],
    additionalProperties: false,
  }
  expect(server.requests.map(({ body }) => body["tools"])).toEqual([
    ownSchemas,
    [{ ...tool, name: "closed", strict: true, parameters: strict }, ownSchemas[1]],
  ])
})

it("requests no reasoning from the chat models of a reasoning family", async () => {
  await using server = await startFakeProvider([createOpenAiAnswer([createOpenAiMessage("m", "hi")])])
  for (const model of ["gpt-5-chat-latest", "gpt-5.1-chat", "gpt-5.1"]) {
    const spec = modelSpec({ provider: "openai", model, thinking: "high", baseUrl: `${server.url}/v1` })
    await openAiProvider.respond(createModelRequest({ spec }))
  }
  expect(server.requests.map(({ body }) => "reasoning" in body || "include" in body)).toEqual([false, false, true])
})

describe("requestHeaders", () => {
  const spec = { headers: { "X-Team": "a" }, headersEnv: { "X-Token": "GATEWAY_TOKEN" } }

  it("reads those with secrets from the environment", () => {
    expect(requestHeaders(spec, { GATEWAY_TOKEN: "t" })).toEqual({ "X-Team": "a", "X-Token": "t" })
    expect(requestHeaders({}, {})).toEqual({})
  })

  it("names a variable that is not set", () => {
    expect(() => requestHeaders(spec, {})).toThrow("X-Token needs the environment variable GATEWAY_TOKEN")
  })
})

describe("a result that must validate", () => {
  const resultSchema = {
    type: "object",
    properties: { version: { type: "string" }, note: { type: "string" } },
    required: ["version"],
  }
  const strict = {
    type: "object",
    properties: { version: { type: "string" }, note: { type: ["string", "null"] } },
    required: ["version", "note"],
    additionalProperties: false,
  }
  const open = { type: "object", properties: { a: { type: "object" } } }

  it("is asked for by the server's own means over Chat Completions, where it takes strict schemas", async () => {
    await using server = await startFakeProvider([createChatText("hi")])
    const plain = modelSpec({ provider: "openai-compatible", model: "m", baseUrl: server.url })
    const spec = { ...plain, dialect: { strict: true } }
    await openAiCompatibleProvider.respond(createModelRequest({ spec, resultSchema }))
    await openAiCompatibleProvider.respond(createModelRequest({ spec, resultSchema: open }))
    await openAiCompatibleProvider.respond(createModelRequest({ spec: plain, resultSchema }))
    const json_schema = { name: "result", schema: strict, strict: true }
    expect(server.requests.map(({ body }) => body["response_format"])).toEqual([
      { type: "json_schema", json_schema },
      undefined,
      undefined,
    ])
  })

  it("is asked for in the same way over Responses", async () => {
    await using server = await startFakeProvider([createOpenAiAnswer([createOpenAiMessage("m", "hi")])])
    const plain = modelSpec({ provider: "openai", model: "m", baseUrl: `${server.url}/v1` })
    await openAiProvider.respond(createModelRequest({ spec: { ...plain, dialect: { strict: true } }, resultSchema }))
    await openAiProvider.respond(createModelRequest({ spec: plain, resultSchema }))
    expect(server.requests.map(({ body }) => body["text"])).toEqual([
      { format: { type: "json_schema", name: "result", schema: strict, strict: true } },
      undefined,
    ])
  })
})

import { describe, expect, it } from "vitest"
import { AdjutantError } from "../../../../contracts/adjutant-error.ts"
import type { ModelSpec } from "../../../../contracts/run-snapshot.ts"
import { classifyModelError } from "../../../../models/failure/classify-model-error.ts"
import { ModelError } from "../../../../models/model-error.ts"
import { createModelProviders } from "../../../../models/model-registry.ts"
import { createAnthropicError, createAnthropicStreamError } from "../../../helpers/providers/anthropic-wire.ts"
import { startFakeProvider, type FakeReply } from "../../../helpers/providers/fake-provider-server.ts"
import { createModelRequest, modelSpec } from "../../../helpers/providers/model-request.ts"
import { createOpenAiError } from "../../../helpers/providers/openai-responses-wire.ts"

const providers = createModelProviders()
const apiKey = "sk-test-secret-key"

/** Returns what the real SDK throws for this reply, classified. */
async function classified(provider: ModelSpec["provider"], reply: FakeReply, nowMs?: number): Promise<ModelError> {
  await using server = await startFakeProvider([reply])
  const baseUrl = provider === "anthropic" ? server.url : `${server.url}/v1`
  const request = createModelRequest({ apiKey, spec: modelSpec({ provider, model: "some-model", baseUrl }) })
  const thrown = await providers[provider].respond(request).then(
    () => new Error("it answered"),
    (error: unknown) => error,
  )
  expect(server.requests).toHaveLength(1)
  return classifyModelError(thrown, { ...request, nowMs })
}

const anthropicBody = (status: number, type: string, message = "no luck", headers = {}) =>
  createAnthropicError(status, { type, message }, headers)

describe("classifyModelError", () => {
  it.each([
    [408, "timeout_error"],
    [409, "conflict_error"],
    [429, "rate_limit_error"],
    [500, "api_error"],
    [503, "api_error"],
    [529, "overloaded_error"],
  ])("retries Anthropic's %i %s", async (status, type) => {
    expect(await classified("anthropic", anthropicBody(status, type))).toMatchObject({ kind: "retry", status })
  })

  it.each([408, 409, 429, 500, 502, 503, 529])("retries status %i of an OpenAI-like server", async (status) => {
    const error = await classified("openai-compatible", createOpenAiError(status, { message: "busy" }))
    expect(error).toMatchObject({ kind: "retry", status })
  })

  it.each([
    [{ "retry-after": "7" }, 7000],
    [{ "retry-after": "0.5" }, 500],
    [{ "retry-after-ms": "1500", "retry-after": "9" }, 1500],
    [{ "retry-after": "Wed, 21 Oct 2026 07:28:00 GMT" }, 60_000],
    [{ "retry-after": "Wed, 21 Oct 2020 07:28:00 GMT" }, 0],
    [{ "retry-after": "soon" }, undefined],
    [{}, undefined],
  ])("waits as long as the provider asks: %j", async (headers, retryAfterMs) => {
    const nowMs = Date.UTC(2026, 9, 21, 7, 27, 0)
    const error = await classified("anthropic", anthropicBody(429, "rate_limit_error", "slow down", headers), nowMs)
    expect(error).toMatchObject({ kind: "retry", retryAfterMs })
  })

  it.each([
    ["anthropic", createAnthropicStreamError("overloaded_error", "Overloaded"), "retry"],
    ["anthropic", createAnthropicStreamError("rate_limit_error", "Slow down"), "retry"],
    ["anthropic", createAnthropicStreamError("invalid_request_error", "No"), "bad_request"],
    [
      "openai",
      { kind: "sse", events: [{ event: "error", data: { type: "error", code: "server_error", message: "x" } }] },
      "retry",
    ],
  ] satisfies [ModelSpec["provider"], FakeReply, string][])(
    "classifies an error inside a stream of %s",
    async (provider, reply, kind) => {
      expect(await classified(provider, reply)).toMatchObject({ kind })
    },
  )

  it.each([
    [
      "openai",
      createOpenAiError(429, {
        message: "You exceeded your current quota",
        type: "insufficient_quota",
        code: "insufficient_quota",
      }),
    ],
    ["anthropic", anthropicBody(400, "invalid_request_error", "Your credit balance is too low to access the API.")],
    ["anthropic", anthropicBody(402, "billing_error")],
    [
      "anthropic",
      createAnthropicError(429, {
        type: "rate_limit_error",
        message: "x",
        details: { error_code: "contract_spend_limit_reached" },
      }),
    ],
    ["openai-compatible", createOpenAiError(402, { message: "Insufficient credits" })],
  ] satisfies [ModelSpec["provider"], FakeReply][])(
    "does not retry an exhausted quota of %s",
    async (provider, reply) => {
      const error = await classified(provider, reply)
      expect(error).toMatchObject({ kind: "quota", retryAfterMs: undefined })
      expect(error.message).toContain("billing")
    },
  )

  it.each([
    ["anthropic", anthropicBody(401, "authentication_error", "invalid x-api-key"), "ANTHROPIC_API_KEY"],
    ["anthropic", anthropicBody(403, "permission_error"), "ANTHROPIC_API_KEY"],
    ["openai", createOpenAiError(401, { message: "Incorrect API key", code: "invalid_api_key" }), "OPENAI_API_KEY"],
    ["openai-compatible", createOpenAiError(401, { message: "no" }), "apiKeyEnv"],
  ] satisfies [ModelSpec["provider"], FakeReply, string][])(
    "names the variable of the key that %s rejects",
    async (provider, reply, name) => {
      const error = await classified(provider, reply)
      expect(error.kind).toBe("auth")
      expect(error.message).toContain(name)
    },
  )

  it("names the variable that the model itself names", () => {
    const spec = modelSpec({ apiKeyEnv: "TEAM_KEY" })
    const error = classifyModelError(Object.assign(new Error("no"), { status: 401 }), { spec, apiKey })
    expect(error.message).toContain("TEAM_KEY")
  })

  it.each([
    ["anthropic", anthropicBody(404, "not_found_error", "model: some-model")],
    ["openai", createOpenAiError(404, { message: "The model does not exist", code: "model_not_found" })],
    ["openai", createOpenAiError(400, { message: "no such model", code: "model_not_found" })],
  ] satisfies [ModelSpec["provider"], FakeReply][])(
    "names the setting of a model that %s does not know",
    async (provider, reply) => {
      const error = await classified(provider, reply)
      expect(error.kind).toBe("not_found")
      expect(error.message).toMatch(/some-model.*"models"/)
    },
  )

  it.each([
    ["anthropic", anthropicBody(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum")],
    ["anthropic", anthropicBody(413, "request_too_large")],
    ["openai", createOpenAiError(400, { message: "too big", code: "context_length_exceeded" })],
    ["openai-compatible", createOpenAiError(400, { message: "This model's maximum context length is 4096 tokens." })],
    ["openai-compatible", createOpenAiError(400, { message: "x", type: "exceed_context_size_error" })],
  ] satisfies [ModelSpec["provider"], FakeReply][])(
    "detects that the conversation is too long for %s",
    async (provider, reply) => {
      expect(await classified(provider, reply)).toMatchObject({ kind: "context_exceeded" })
    },
  )

  it.each([400, 405, 422])("does not retry status %i", async (status) => {
    expect(await classified("openai", createOpenAiError(status, { message: "no" }))).toMatchObject({
      kind: "bad_request",
      status,
    })
  })

  it("does not mistake a long word for a long conversation", async () => {
    const error = await classified("openai", createOpenAiError(400, { message: "function name is too long" }))
    expect(error.kind).toBe("bad_request")
  })

  it("retries a server that cannot be reached, and names its URL", async () => {
    const server = await startFakeProvider([{ kind: "silence" }])
    await server.close()
    const request = createModelRequest({
      spec: modelSpec({ provider: "openai-compatible", baseUrl: `${server.url}/v1` }),
    })
    const thrown = await providers["openai-compatible"].respond(request).catch((error: unknown) => error)
    const error = classifyModelError(thrown, request)
    expect(error.kind).toBe("retry")
    expect(error.message).toContain(server.url)
    expect(error.message).toContain("ECONNREFUSED")
  })

  it("does not retry an invalid URL", async () => {
    const request = createModelRequest({
      spec: modelSpec({ provider: "openai-compatible", baseUrl: "not an address" }),
    })
    const thrown = await providers["openai-compatible"].respond(request).catch((error: unknown) => error)
    expect(classifyModelError(thrown, request).kind).toBe("bad_request")
  })

  it.each(["openai", "openai-compatible", "anthropic"] as const)(
    "says what a body says that is a list, as Google's are, and not the list (%s)",
    async (provider) => {
      const message = "API key not valid. Please pass a valid API key."
      const body = [{ error: { code: 400, message, status: "INVALID_ARGUMENT" } }]
      const error = await classified(provider, { kind: "http", status: 400, body })
      expect(error).toMatchObject({ kind: "bad_request", status: 400 })
      expect(error.message).toContain(message)
      expect(error.message).not.toMatch(/[[{]/)
    },
  )

  it("names the tool that a provider counts", () => {
    const tools = ["Read", "mcp__s__list"].map((name) => ({ name, description: "", inputSchema: {} }))
    const error = { status: 400, error: { message: "tools.1.custom.input_schema: bad; also tools[0].name, tools.9" } }
    expect(classifyModelError(error, { spec: modelSpec(), apiKey, tools }).message).toContain(
      "tools.1 (mcp__s__list).custom.input_schema: bad; also tools[0] (Read).name, tools.9",
    )
  })

  it("repeats no key: not the call's own, not another, not one in a URL", async () => {
    const leaking = `Incorrect API key provided: ${apiKey}. Also sk-proj-abc***wxyz and Bearer abcdef123456 and x?key=topsecret`
    const error = await classified("openai", createOpenAiError(401, { message: leaking }))
    for (const secret of [apiKey, "sk-proj", "abcdef123456", "topsecret"]) expect(error.message).not.toContain(secret)
    const spec = modelSpec({ provider: "openai-compatible", baseUrl: "http://me:pass@host/v1" })
    expect(classifyModelError(Object.assign(new Error("x"), { status: 500 }), { spec, apiKey }).message).not.toContain(
      "pass",
    )
    const plain = classifyModelError(new Error("plain-key failed"), { spec: modelSpec(), apiKey: "plain-key" })
    expect(plain.message).not.toContain("plain-key")
  })

  it("has no cause, since SDK errors contain headers and prompts", async () => {
    expect((await classified("anthropic", anthropicBody(500, "api_error"))).cause).toBeUndefined()
  })

  it("returns aborted after the signal, whatever was thrown", () => {
    const call = { spec: modelSpec(), apiKey, signal: AbortSignal.abort() }
    expect(classifyModelError(new Error("socket hang up"), call).kind).toBe("aborted")
    expect(classifyModelError(new DOMException("stop", "AbortError"), { spec: modelSpec(), apiKey }).kind).toBe(
      "aborted",
    )
  })

  it("keeps an error that is already classified, and does not retry a wrong setting", () => {
    const call = { spec: modelSpec(), apiKey }
    const known = new ModelError("retry", "again", { retryAfterMs: 5, status: 503 })
    expect(classifyModelError(known, call)).toMatchObject({
      kind: "retry",
      message: "again",
      retryAfterMs: 5,
      status: 503,
    })
    expect(classifyModelError(new AdjutantError("invalid_config", "bad script"), call)).toMatchObject({
      kind: "bad_request",
      message: "bad script",
    })
    expect(classifyModelError("thrown text", call).kind).toBe("bad_request")
  })
})

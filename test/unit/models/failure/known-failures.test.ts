import { describe, expect, it } from "vitest"
import { classifyModelError } from "../../../../models/failure/classify-model-error.ts"
import { ReportedFailure } from "../../../../models/failure/reported-failure.ts"
import { modelSpec } from "../../../helpers/providers/model-request.ts"

const call = { spec: modelSpec({ provider: "openai-compatible", model: "m" }), apiKey: undefined }

/** Classifies an error in the body of a 200. */
const inStream = (error: unknown, hasBegun = false) =>
  classifyModelError(new ReportedFailure(error, { hasBegun }), call)

/** Classifies a status, as the SDKs throw it. */
const byStatus = (status: number, error: unknown) => classifyModelError({ status, error, message: `${status}` }, call)

describe("a known failure", () => {
  it.each([
    [{ code: 401, message: "User not found." }, "auth"],
    [{ code: 402, message: "Insufficient credits. Add more." }, "quota"],
    [{ code: 400, message: "This endpoint's maximum context length is 4096 tokens." }, "context_exceeded"],
    [{ code: "429", message: "slow down" }, "retry"],
    [{ code: 502, message: "upstream" }, "retry"],
    [{ status: "404", message: "no such model" }, "not_found"],
    [{ status: "RESOURCE_EXHAUSTED", message: "busy" }, "retry"],
    [{ code: "server_is_overloaded", message: "busy" }, "retry"],
    [{ code: "insufficient_quota", message: "x" }, "quota"],
    [{ type: "ContextWindowExceededError", message: "x" }, "context_exceeded"],
    [{ type: "BadRequestError", message: "x" }, "bad_request"],
    [{ type: "litellm.AuthenticationError", message: "x" }, "auth"],
    [{ type: "InternalServerError", message: "x" }, "retry"],
    ["invalid model name passed", "bad_request"],
    [{ message: "a sentence that nobody knows" }, "bad_request"],
  ])("is recognised in a body with status 200: %j", (error, kind) => {
    expect(inStream(error).kind).toBe(kind)
  })

  it("can pass, if it is unknown, only after the answer has begun", () => {
    expect(inStream({ code: "odd", message: "a sentence that nobody knows" }, false).kind).toBe("bad_request")
    expect(inStream({ code: "odd", message: "a sentence that nobody knows" }, true).kind).toBe("retry")
  })

  it.each([
    ["Anthropic", 400, "prompt is too long: 213462 tokens > 200000 maximum"],
    ["Anthropic", 413, "Request exceeds the maximum size"],
    ["OpenAI", 400, "Your input exceeds the context window of this model"],
    ["LiteLLM", 400, "Requested token count exceeds the model's maximum context length of 131072 tokens"],
    ["a gateway", 400, "Input length (265330) exceeds model's maximum context length (262144)."],
    ["Gemini", 400, "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)"],
    ["xAI", 400, "This model's maximum prompt length is 131072 but the request contains 537812 tokens"],
    ["Groq", 400, "Please reduce the length of the messages or completion."],
    [
      "OpenRouter",
      400,
      "This endpoint's maximum context length is 8192 tokens. However, you requested about 9000 tokens",
    ],
    ["Poolside", 400, "Input length 9000 exceeds the maximum allowed input length of 8192 tokens."],
    ["Together", 400, "The input (9000 tokens) is longer than the model's context length (8192 tokens)."],
    [
      "Together",
      422,
      "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000 and 512",
    ],
    ["Bedrock", 400, "Input is too long for requested model."],
    ["llama.cpp", 400, "the request exceeds the available context size, try increasing it"],
    ["LM Studio", 400, "The number of tokens to keep from the initial prompt is greater than the context length"],
    ["GitHub Copilot", 400, "prompt token count of 130000 exceeds the limit of 128000"],
    ["MiniMax", 400, "invalid params, context window exceeds limit"],
    ["Kimi", 400, "Your request exceeded model token limit: 262144 (requested: 300000)"],
    [
      "Mistral",
      400,
      "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
    ],
    ["z.ai", 400, "model_context_window_exceeded"],
    ["Ollama", 400, "prompt too long; exceeded max context length by 12 tokens"],
    ["Ollama", 500, "input length exceeds maximum context length"],
    [
      "vLLM",
      400,
      "This model's maximum context length is 4096 tokens. However, you requested 512 output tokens and your prompt contains at least 4000 input tokens, for a total of at least 4512 tokens.",
    ],
    ["Cerebras", 400, "400 status code (no body)"],
    ["any server", 400, "token limit exceeded"],
  ])("of %s (%i) says that the context is full: %s", (_provider, status, message) => {
    const sdkError = /no body/.test(message) ? { status, message } : { status, error: { message }, message: "x" }
    expect(classifyModelError(sdkError, call).kind).toBe("context_exceeded")
  })

  it.each([
    ["retry", 400, "ThrottlingException: Too many tokens, please wait before trying again."],
    ["retry", 429, "Rate limit reached for tokens per min. Limit 30000. Please try again in 2s."],
    ["bad_request", 400, "max_tokens is too large: 100000. This model supports at most 16384 completion tokens."],
    ["bad_request", 400, "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum"],
    ["bad_request", 400, "Invalid 'tools': array too long. Expected an array with maximum length 128, but got 159."],
    ["bad_request", 400, "Invalid 'input[3].name': string too long. Expected a string with maximum length 64."],
    ["bad_request", 400, "tools.17.custom.input_schema: too many properties"],
    ["retry", 503, "the context window is being loaded"],
  ])("does not say so: %s for %i %s", (kind, status, message) => {
    expect(byStatus(status, { message }).kind).toBe(kind)
  })

  it.each([
    [400, { message: "Access denied, your account is in arrears (Arrearage)." }],
    [403, { error: "Your team has used all available credits or reached its monthly spending limit." }],
    [429, { type: "exceeded_current_quota_error", message: "Your account is suspended, check your plan." }],
    [429, { code: "insufficient_quota", message: "You exceeded your current quota." }],
  ])("says that the balance is used up: %i %j", (status, error) => {
    expect(byStatus(status, error).kind).toBe("quota")
  })

  it.each([
    [{ message: "Your input was flagged by the moderation layer", metadata: { reasons: ["x"] } }],
    [{ message: "Country, region, or territory not supported" }],
  ])("with status 403 is about the key only if it says so: %j", (error) => {
    const refused = byStatus(403, error)
    expect(refused.kind).toBe("bad_request")
    expect(refused.message).not.toContain("API key")
    expect(byStatus(403, { message: "Your API key has no access to this model" }).kind).toBe("auth")
  })

  it("reduces the page of a firewall to its title", () => {
    const page = "403 <!DOCTYPE html><html><head><title>Blocked</title></head><body>no permission</body></html>"
    const refused = classifyModelError({ status: 403, message: page }, call)
    expect(refused).toMatchObject({
      kind: "bad_request",
      message: expect.stringContaining('a page of HTML ("Blocked")'),
    })
    expect(refused.message).not.toMatch(/<html|API key/)
  })

  it.each([
    [[{ error: { code: 400, message: "Tool 3 has no name", status: "INVALID_ARGUMENT" } }]],
    [{ detail: "Tool 3 has no name" }],
    [{ detail: [{ loc: ["body"], msg: "Tool 3 has no name", type: "value_error" }] }],
    [{ object: "error", message: "Tool 3 has no name", type: "BadRequestError", code: 400 }],
    [{ error: { message: '{"error":{"message":"Tool 3 has no name"}}' } }],
    [{ error: "Tool 3 has no name" }],
  ])("is shown with the sentence inside: %j", (body) => {
    const { kind, message } = byStatus(400, body)
    expect(kind).toBe("bad_request")
    expect(message).toMatch(/: Tool 3 has no name$/)
  })

  it("is shown with what the provider behind a gateway said", () => {
    const raw = JSON.stringify({ error: { message: "prompt is too long: 3 tokens > 2 maximum" } })
    const failure = inStream({ code: 400, message: "Provider returned error", metadata: { raw, provider_name: "x" } })
    expect(failure.kind).toBe("context_exceeded")
    expect(failure.message).toContain("Provider returned error: prompt is too long")
  })

  it.each([
    ["Please try again in 11.054s. Visit the page.", 11_054],
    ["Rate limit reached: try again in 1m2.5s", 62_500],
    ["Please retry in 250ms.", 250],
    ["please wait 20 seconds", 20_000],
    ["try again later", undefined],
  ])("says how long to wait: %s", (message, retryAfterMs) => {
    expect(inStream({ code: "rate_limit_exceeded", message })).toMatchObject({ kind: "retry", retryAfterMs })
  })

  it("says how long to wait in its details, as Google does", () => {
    const details = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "38s" }]
    expect(inStream({ code: 429, status: "RESOURCE_EXHAUSTED", message: "quota", details })).toMatchObject({
      kind: "retry",
      retryAfterMs: 38_000,
    })
  })
})

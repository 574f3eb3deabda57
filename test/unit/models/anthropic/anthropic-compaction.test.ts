import { describe, expect, it } from "vitest"
import { anthropicProvider } from "../../../../models/anthropic/anthropic.ts"
import { classifyModelError } from "../../../../models/failure/classify-model-error.ts"
import { createAnthropicError } from "../../../helpers/providers/anthropic-wire.ts"
import { type FakeReply, startFakeProvider } from "../../../helpers/providers/fake-provider-server.ts"
import { createModelRequest, modelSpec } from "../../../helpers/providers/model-request.ts"

const compacted = (content: string | null): FakeReply => ({
  kind: "http",
  status: 200,
  body: {
    id: "msg_fake",
    type: "message",
    role: "assistant",
    model: "claude-opus-5-5",
    content: [{ type: "compaction", content, encrypted_content: null, signature: "sig-1" }],
    stop_reason: "compaction",
    stop_sequence: null,
    usage: {
      input_tokens: 3,
      output_tokens: 0,
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 0,
      iterations: [
        {
          type: "compaction",
          input_tokens: 40,
          output_tokens: 60,
          cache_read_input_tokens: 9_000,
          cache_creation_input_tokens: 5,
          cache_creation: null,
        },
      ],
    },
  },
})

const compact = async (reply: FakeReply) => {
  await using server = await startFakeProvider([reply])
  const spec = modelSpec({ baseUrl: server.url })
  const request = createModelRequest({ spec, purpose: "compaction" })
  const answer = await anthropicProvider.respond(request).then(
    (message) => ({ message }),
    (error: unknown) => ({ failure: classifyModelError(error, { spec, apiKey: undefined }) }),
  )
  return { ...answer, request, sent: server.requests[0] }
}

describe("a compaction by the Messages API", () => {
  it("sends the conversation as it is, and returns the summary with everything that it used", async () => {
    const answer = await compact(compacted("The file is about herons."))
    expect(answer.sent).toMatchObject({ method: "POST", path: "/v1/messages" })
    expect(answer.sent?.headers["anthropic-beta"]).toBe("compact-2026-09-04")
    expect(answer.sent?.body).toMatchObject({
      model: "claude-opus-5-5",
      compaction: { type: "summarize" },
      system: [{ text: "You are a careful agent." }],
    })
    expect(answer.sent?.body["stream"]).toBeUndefined()
    expect(answer.sent?.body["tools"]).toHaveLength(answer.request.tools.length)
    expect(answer).toMatchObject({
      message: {
        parts: [{ type: "text", text: "The file is about herons." }],
        usage: { inputTokens: 43, outputTokens: 60, cacheReadTokens: 9_000, cacheWriteTokens: 5, reasoningTokens: 0 },
      },
    })
  })

  it("is a failure of this way only where the API has no summary, or does not know the request", async () => {
    expect(await compact(compacted(null))).toMatchObject({ failure: { kind: "bad_request" } })
    const unknown = createAnthropicError(400, {
      type: "invalid_request_error",
      message: "compaction: Extra inputs are not permitted",
    })
    expect(await compact(unknown)).toMatchObject({ failure: { kind: "bad_request" } })
  })

  it("is tried again where the API cannot do it now", async () => {
    const unavailable = createAnthropicError(529, { type: "overloaded_error", message: "compaction is unavailable" })
    expect(await compact(unavailable)).toMatchObject({ failure: { kind: "retry" } })
  })
})

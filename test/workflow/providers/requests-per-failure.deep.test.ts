import { readFile } from "node:fs/promises"
import { afterEach, describe, expect, it } from "vitest"
import type { ConfigInput } from "../../../contracts/config/config.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"
import { createFakeTurns } from "../../helpers/models/fake-model.ts"
import { createPartialChatAnswer } from "../../helpers/providers/chat-wire.ts"
import { type FakeProvider, type FakeReply, startFakeProvider } from "../../helpers/providers/fake-provider-server.ts"

let harness: Harness
let server: FakeProvider
const attempts = 3

type Provider = "openai" | "openai-compatible"

/** Runs an agent whose model always fails in this way. Returns how often it was asked, and how the run ended. */
const askedOf = async (provider: Provider, reply: FakeReply) => {
  server = await startFakeProvider([reply])
  const main: NonNullable<ConfigInput["models"]>[string] =
    provider === "openai"
      ? { provider, model: "gpt-4.1-fake", baseUrl: `${server.url}/v1` }
      : { provider, model: "fake", baseUrl: `${server.url}/v1` }
  harness = await openHarness({
    model: createFakeTurns(),
    env: { OPENAI_API_KEY: "sk-test-never-shown" },
    config: { models: { main }, timing: { modelAttempts: attempts, modelRetryInitialMs: 20 } },
  })
  const document = await harness.client.wait(await harness.start())
  if (document?.outcome !== "failed") throw new Error("the run did not fail")
  return { requests: server.requests.length, code: document.error.code, message: document.error.message }
}

const status = (code: number, error: unknown, headers: Readonly<Record<string, string>> = {}): FakeReply => ({
  kind: "http",
  status: code,
  headers,
  body: { error },
})
const document = (body: unknown): FakeReply => ({ kind: "http", status: 200, body })
const chunk = (fields: object) => ({
  data: { id: "c", object: "chat.completion.chunk", created: 0, model: "m", ...fields },
})
const hello = chunk({ choices: [{ index: 0, delta: { content: "Hel" }, finish_reason: null }] })
const stream = (...events: readonly { readonly data: unknown }[]): FakeReply => ({ kind: "sse", events })
const failed = (code: string, message = "no luck"): FakeReply => ({
  kind: "sse",
  events: [
    {
      event: "response.failed",
      data: { type: "response.failed", sequence_number: 0, response: { status: "failed", error: { code, message } } },
    },
  ],
})
const tooLong = "This model's maximum context length is 8 tokens"

/** What always happens, how often a run with three attempts asks, and the code with which it fails. docs/model-servers.md has the table. */
const kinds: readonly (readonly [string, Provider, FakeReply, number, string, RegExp])[] = [
  [
    "429 with retry-after",
    "openai-compatible",
    status(429, { message: "busy" }, { "retry-after": "0.05" }),
    3,
    "provider_error",
    /busy/,
  ],
  [
    "429 without a quota",
    "openai",
    status(429, { message: "no quota left", code: "insufficient_quota" }),
    1,
    "provider_error",
    /no quota left/,
  ],
  ["401", "openai-compatible", status(401, { message: "who are you" }), 1, "key_missing", /who are you/],
  ["402", "openai-compatible", status(402, { message: "no credits" }), 1, "provider_error", /no credits/],
  ["500", "openai-compatible", status(500, { message: "oops" }), 3, "provider_error", /oops/],
  ["529", "openai-compatible", status(529, { message: "overloaded" }), 3, "provider_error", /overloaded/],
  [
    "200, a document: 402",
    "openai-compatible",
    document({ error: { code: 402, message: "no credits" } }),
    1,
    "provider_error",
    /no credits/,
  ],
  [
    "200, a document: a text",
    "openai-compatible",
    document({ error: "invalid model name passed" }),
    1,
    "provider_error",
    /invalid model name passed/,
  ],
  [
    "200, a stream: 401",
    "openai-compatible",
    stream({ data: { error: { code: 401, message: "who are you" } } }),
    1,
    "key_missing",
    /who are you/,
  ],
  [
    '200, a stream: "429"',
    "openai-compatible",
    stream({ data: { error: { code: "429", message: "busy" } } }),
    3,
    "provider_error",
    /busy/,
  ],
  [
    "200, a stream: 502",
    "openai-compatible",
    stream(hello, { data: { error: { code: 502, message: "bad gateway" } } }),
    3,
    "provider_error",
    /bad gateway/,
  ],
  [
    "200, a stream: full context",
    "openai-compatible",
    stream(
      hello,
      chunk({ choices: [{ index: 0, delta: {}, finish_reason: "error" }], error: { code: 400, message: tooLong } }),
    ),
    1,
    "context_exceeded",
    /does not fit/,
  ],
  ["response.failed: server_is_overloaded", "openai", failed("server_is_overloaded"), 3, "provider_error", /no luck/],
  ["response.failed: insufficient_quota", "openai", failed("insufficient_quota"), 1, "provider_error", /no luck/],
  [
    "response.failed: rate_limit_exceeded",
    "openai",
    failed("rate_limit_exceeded", "try again in 0.05s"),
    3,
    "provider_error",
    /try again/,
  ],
  [
    "response.failed: context_length_exceeded",
    "openai",
    failed("context_length_exceeded", tooLong),
    1,
    "context_exceeded",
    /does not fit/,
  ],
  ["response.failed: an unknown code", "openai", failed("odd_code"), 3, "provider_error", /no luck/],
  [
    "a stream that breaks off",
    "openai-compatible",
    createPartialChatAnswer([{ content: "Hel" }, { content: "lo" }], 1, "cut"),
    3,
    "provider_error",
    /./,
  ],
  [
    "a stream that ends early",
    "openai-compatible",
    createPartialChatAnswer([{ content: "Hel" }, { content: "lo" }], 1, "end"),
    3,
    "provider_error",
    /./,
  ],
]

describe("a model that always fails", () => {
  afterEach(async () => {
    await harness.close()
    await server.close()
  })

  it.each(kinds)(
    "with %s (%s) is asked as often as it can help",
    async (_, provider, reply, requests, code, message) => {
      expect(await askedOf(provider, reply)).toEqual({ requests, code, message: expect.stringMatching(message) })
    },
  )
})

it("has a table of these failures in the documentation", async () => {
  const page = await readFile(new URL("../../../docs/model-servers.md", import.meta.url), "utf8")
  for (const [name, , , requests] of kinds)
    expect(page).toMatch(new RegExp(`\\| ${name.replaceAll(".", "\\.")} +\\| ${requests} +\\|`))
})

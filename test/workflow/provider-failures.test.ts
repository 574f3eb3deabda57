import { afterEach, describe, expect, it } from "vitest"
import type { ConfigInput } from "../../contracts/config/config.ts"
import { eventually } from "../helpers/eventually.ts"
import { createFakeTurns } from "../helpers/models/fake-model.ts"
import {
  createAnthropicAnswer,
  createAnthropicError,
  createPartialAnthropicAnswer,
  createAnthropicStreamError,
  createAnthropicText,
} from "../helpers/providers/anthropic-wire.ts"
import { createChatAnswer, createPartialChatAnswer, createChatText } from "../helpers/providers/chat-wire.ts"
import {
  type FakeProvider,
  type FakeReplies,
  type FakeReply,
  startFakeProvider,
} from "../helpers/providers/fake-provider-server.ts"
import { type Harness, openHarness } from "../helpers/engine/workflow-harness.ts"

let harness: Harness
let server: FakeProvider
const attempts = 3

afterEach(async () => {
  await harness.close()
  await server.close()
})

type Wire = "anthropic" | "openai-compatible"

const modelOf = (wire: Wire, url: string): NonNullable<ConfigInput["models"]>[string] =>
  wire === "anthropic"
    ? { provider: "anthropic", model: "claude-fake", baseUrl: url }
    : { provider: "openai-compatible", model: "fake", baseUrl: `${url}/v1` }

/** A session whose model is a server with these answers. */
const startOn = async (
  wire: Wire,
  replies: FakeReplies,
  timing: ConfigInput["timing"] = {},
  request: Parameters<Harness["start"]>[0] = {},
): Promise<string> => {
  server = await startFakeProvider(replies)
  harness = await openHarness({
    model: createFakeTurns(),
    env: { ANTHROPIC_API_KEY: "sk-test-never-shown" },
    config: {
      models: { main: modelOf(wire, server.url) },
      prices: { "claude-fake": { inputPerMTok: 1, outputPerMTok: 10 } },
      timing: { modelAttempts: attempts, ...timing },
    },
  })
  return harness.start(request)
}

const run = async (wire: Wire, replies: FakeReplies) => {
  const id = await startOn(wire, replies)
  const document = await harness.client.wait(id)
  if (document?.outcome !== "completed" && document?.outcome !== "failed") throw new Error("the run did not end")
  const rows = await harness.client.messages(id)
  return { id, document, roles: rows.map(({ message }) => message.role), rows }
}

/** Returns the attempt numbers of each model call, as the engine counted them. */
const triesOf = async (id: string): Promise<readonly number[]> => {
  const { events } = await harness.handle(id).fetchHistory()
  return (events ?? []).flatMap((event) => {
    const attempt = event.activityTaskStartedEventAttributes?.attempt
    return attempt === undefined || attempt === null ? [] : [attempt]
  })
}

const overloaded = createAnthropicError(529, { type: "overloaded_error", message: "Overloaded" })
const limited = createAnthropicError(429, { type: "rate_limit_error", message: "Slow down" }, { "retry-after": "0.05" })
const text = [{ type: "text", pieces: ["All ", "is ", "well."] }] as const
const busy: FakeReply = {
  kind: "http",
  status: 429,
  headers: { "retry-after-ms": "50" },
  body: { error: { message: "busy" } },
}
const brokenJson = (): FakeReply => ({ kind: "sse", events: [{ event: "message_start", data: '{"type":"message_st' }] })

describe("a provider that fails for a while", () => {
  it.each<[string, Wire, FakeReply[]]>([
    ["is overloaded (529)", "anthropic", [overloaded, overloaded]],
    ["limits the rate (429 with retry-after)", "anthropic", [limited]],
    ["reports an error in the stream", "anthropic", [createAnthropicStreamError("overloaded_error", "Overloaded")]],
    ["breaks off in the middle of a message", "anthropic", [createPartialAnthropicAnswer(text, 5, "cut")]],
    ["ends the stream in the middle of a message", "anthropic", [createPartialAnthropicAnswer(text, 5, "end")]],
    ["sends broken JSON", "anthropic", [brokenJson()]],
    [
      "answers with something other than JSON",
      "anthropic",
      [{ kind: "http", status: 502, body: "<html>Bad gateway</html>" }],
    ],
    ["limits the rate (429 with retry-after)", "openai-compatible", [busy, busy]],
    [
      "breaks off in the middle of a message",
      "openai-compatible",
      [createPartialChatAnswer([{ content: "All " }, { content: "is" }], 1, "cut")],
    ],
    ["sends broken JSON", "openai-compatible", [brokenJson()]],
  ])("%s: %s: costs attempts and does not fail the run", async (_, wire, failures) => {
    const good = wire === "anthropic" ? createAnthropicAnswer(text) : createChatText("All is well.")
    const [first, ...rest] = [...failures, good]
    const { id, document, roles } = await run(wire, [first ?? good, ...rest])
    expect(document).toMatchObject({ outcome: "completed", final_message: "All is well.", steps_taken: 1 })
    expect(document.usage).toMatchObject(
      wire === "anthropic"
        ? { input_tokens: 10, output_tokens: 20, cost_usd: 0.00021 }
        : { input_tokens: 30, output_tokens: 7 },
    )
    expect(roles).toEqual(["user", "assistant"])
    expect(server.requests).toHaveLength(failures.length + 1)
    expect(await triesOf(id)).toEqual([failures.length + 1])
  })

  it("shows the streamed text of the final answer, and no text of earlier attempts", async () => {
    const { id } = await run("anthropic", [
      createPartialAnthropicAnswer([{ type: "text", pieces: ["Wrong ", "words."] }], 5, "cut"),
      createAnthropicAnswer(text),
    ])
    const { events } = await harness.store.events.read(id, { after: 0, limit: 1_000 })
    const shown = events.flatMap((event) => (event.type === "text-delta" ? [event["text"]] : []))
    expect(shown.join("")).toBe("All is well.")
  })

  it("is called again after the time that it asked for, up to an hour", async () => {
    const id = await startOn("anthropic", [
      createAnthropicError(429, { type: "rate_limit_error", message: "Slow down" }, { "retry-after": "3600" }),
    ])
    await server.waitForRequest(1)
    await eventually(async () => {
      const { raw } = await harness.handle(id).describe()
      return Number(raw.pendingActivities?.[0]?.currentRetryInterval?.seconds ?? 0) === 3_600
    })
    expect(server.requests).toHaveLength(1)
    expect(await harness.client.info(id)).toMatchObject({ status: "running" })
    expect(await harness.client.cancel(id, { by: "test", via: "cli" })).toEqual({ status: "cancelled" })
  })

  it("fails the run when all attempts are used up, with the partial answer", async () => {
    const { id, document } = await run("anthropic", (_, index) =>
      index === 0
        ? createAnthropicAnswer([
            { type: "text", pieces: ["First I look."] },
            { type: "tool_use", id: "toolu_1", name: "LS", pieces: ["{}"] },
          ])
        : overloaded,
    )
    expect(document).toMatchObject({
      outcome: "failed",
      stop_reason: "error",
      error: { code: "provider_error", message: expect.stringContaining("HTTP 529") },
      partial_output: "First I look.",
      steps_taken: 2,
      usage: { input_tokens: 10, output_tokens: 20 },
    })
    expect(server.requests).toHaveLength(1 + attempts)
    expect(await harness.client.info(id)).toMatchObject({ status: "failed", stop_reason: "error" })
  })
})

describe("a provider that rejects requests", () => {
  it.each<[string, FakeReply, string, RegExp]>([
    [
      "the key",
      createAnthropicError(401, { type: "authentication_error", message: "invalid x-api-key" }),
      "key_missing",
      /ANTHROPIC_API_KEY/,
    ],
    [
      "the model",
      createAnthropicError(404, { type: "not_found_error", message: "model: claude-fake" }),
      "model_not_found",
      /claude-fake/,
    ],
    [
      "without credit",
      createAnthropicError(402, { type: "billing_error", message: "no" }),
      "provider_error",
      /billing/,
    ],
    [
      "a conversation that is too long",
      createAnthropicError(400, {
        type: "invalid_request_error",
        message: "prompt is too long: 210000 tokens > 200000 maximum",
      }),
      "context_exceeded",
      /does not fit into the context of model main, and no part of it can be left out/,
    ],
    [
      "the request",
      createAnthropicError(400, { type: "invalid_request_error", message: "No." }),
      "provider_error",
      /refused the request/,
    ],
  ])("%s fails the run at once, and says what to check", async (_, reply, code, message) => {
    const { document, roles } = await run("anthropic", [reply])
    expect(document).toMatchObject({
      outcome: "failed",
      stop_reason: "error",
      error: { code, message: expect.stringMatching(message) },
      usage: { input_tokens: 0, output_tokens: 0 },
    })
    expect(document).not.toHaveProperty("partial_output")
    expect(JSON.stringify(document)).not.toContain("sk-test-never-shown")
    expect(roles).toEqual(["user"])
    expect(server.requests).toHaveLength(1)
  })
})

describe("an unusable answer", () => {
  it("ends the run as a refusal, with its text", async () => {
    const { document } = await run("anthropic", [createAnthropicText("I would rather not.", { stopReason: "refusal" })])
    expect(document).toMatchObject({
      outcome: "failed",
      stop_reason: "refusal",
      error: { code: "refusal" },
      partial_output: "I would rather not.",
      usage: { output_tokens: 20 },
    })
  })

  it("is continued where the conversation filled the model's context, but not without end", async () => {
    const { document } = await run("anthropic", [
      createAnthropicText("So far. ", { stopReason: "model_context_window_exceeded" }),
    ])
    const partial = { partial_output: "So far. ".repeat(4) }
    expect(document).toMatchObject({ outcome: "failed", stop_reason: "error", ...partial })
    expect(server.requests).toHaveLength(4)
  })

  it.each<[Wire, (part: string, isCut: boolean) => FakeReply]>([
    ["anthropic", (part, isCut) => createAnthropicText(part, isCut ? { stopReason: "max_tokens" } : {})],
    [
      "openai-compatible",
      (part, isCut) =>
        createChatAnswer([{ role: "assistant", content: part }], isCut ? { finishReason: "length" } : {}),
    ],
  ])("is continued where it was cut: %s", async (wire, answer) => {
    const { document, id } = await run(wire, [answer("One, ", true), answer("two, ", true), answer("three.", false)])
    expect(document).toMatchObject({ outcome: "completed", final_message: "One, two, three.", steps_taken: 3 })
    expect(document.usage.output_tokens).toBe(wire === "anthropic" ? 60 : 21)
    expect(await triesOf(id)).toEqual([1, 1, 1])
  })

  it("is not continued without end", async () => {
    const { document } = await run("anthropic", [createAnthropicText("and so on, ", { stopReason: "max_tokens" })])
    expect(document).toMatchObject({
      outcome: "failed",
      stop_reason: "error",
      partial_output: "and so on, ".repeat(4),
      usage: { output_tokens: 80 },
    })
    expect(server.requests).toHaveLength(4)
  })

  it("with a call that was cut is named to the model, and ends the run at the third time", async () => {
    const cut = createChatAnswer(
      [
        {
          tool_calls: [{ index: 0, id: "c", function: { name: "Write", arguments: '{"file_path":"a","content":"xx' } }],
        },
      ],
      { finishReason: "tool_calls", usage: { prompt_tokens: 30, completion_tokens: 16_384 } },
    )
    const { document, rows } = await run("openai-compatible", [cut])
    expect(document).toMatchObject({
      outcome: "failed",
      stop_reason: "error",
      error: { message: expect.stringContaining("maxOutputTokens") },
    })
    expect(server.requests).toHaveLength(3)
    const results = rows.flatMap(({ message }) => (message.role === "tool" ? [message.content] : []))
    expect(results[0]).toContain("cut at 16384 output tokens")
  })

  it("with arguments that are not JSON becomes data with advice for the model", async () => {
    const { document, rows } = await run("anthropic", (_, index) =>
      index === 0
        ? createAnthropicAnswer([{ type: "tool_use", id: "toolu_1", name: "Read", pieces: ['{"file_path": '] }])
        : createAnthropicText("I see."),
    )
    expect(document).toMatchObject({ outcome: "completed", final_message: "I see." })
    expect(rows[2]?.message).toMatchObject({ role: "tool", outcome: "error" })
  })
})

describe("a model whose key a program prints", () => {
  const programThat = (script: string): NonNullable<ConfigInput["models"]>[string] => ({
    provider: "openai-compatible",
    model: "fake",
    baseUrl: `${server.url}/v1`,
    apiKeyCommand: { command: process.execPath, args: ["-e", script] },
  })

  const open = async (script: string, replies: FakeReplies) => {
    server = await startFakeProvider(replies)
    harness = await openHarness({ model: createFakeTurns(), config: { models: { main: programThat(script) } } })
    return harness.client.wait(await harness.start())
  }

  it("is called with the key", async () => {
    const document = await open("console.log('short-lived-key')", [createChatText("Hello.")])
    expect(document).toMatchObject({ outcome: "completed", final_message: "Hello." })
    expect(server.requests[0]?.headers.authorization).toBe("Bearer short-lived-key")
  })

  it("is not called if the program prints none", async () => {
    const document = await open("console.error('not signed in'); process.exit(3)", [createChatText("Hello.")])
    expect(document).toMatchObject({
      outcome: "failed",
      error: { message: expect.stringMatching(/apiKeyCommand gave no key.*exit code 3: not signed in/) },
    })
    expect(server.requests).toEqual([])
  })
})

describe("a budget", () => {
  const budgetFor = async (budgetTokens: number) => {
    const id = await startOn("openai-compatible", [createChatText("done")], {}, { budget_tokens: budgetTokens })
    return harness.client.wait(id)
  }

  it("that covers a call shortens its answer instead of refusing it", async () => {
    expect(await budgetFor(12_000)).toMatchObject({ outcome: "completed", final_message: "done" })
    const { max_tokens: limit } = server.requests[0]?.body ?? {}
    expect(limit).toBeGreaterThan(1_000)
    expect(limit).toBeLessThan(12_000)
  })

  it("that does not cover a call says what is needed and left", async () => {
    expect(await budgetFor(900)).toMatchObject({
      outcome: "failed",
      stop_reason: "budget",
      error: { message: expect.stringMatching(/it needs about \d+ tokens, and 900 tokens are left/) },
    })
    expect(server.requests).toHaveLength(0)
  })
})

it("a server that cuts its prompts is named once in a run, in an event and a warning", async () => {
  const usage = { prompt_tokens: 1_024, completion_tokens: 7 }
  const id = await startOn("openai-compatible", (_, index) =>
    index < 2
      ? createChatAnswer(
          [
            {
              tool_calls: [
                { index: 0, id: "c", function: { name: "Read", arguments: `{"file_path":"${"x".repeat(2_000)}"}` } },
              ],
            },
          ],
          { finishReason: "tool_calls", usage },
        )
      : createChatAnswer([{ content: "done" }], { usage }),
  )
  expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed" })
  const { events } = await harness.store.events.read(id, { after: 0, limit: 200 })
  expect(events.filter(({ type }) => type === "prompt-cut")).toMatchObject([
    { message: expect.stringContaining("OLLAMA_CONTEXT_LENGTH") },
  ])
})

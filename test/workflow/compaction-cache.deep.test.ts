import { afterEach, describe, expect, it } from "vitest"
import { z } from "zod"
import type { Tool } from "../../tools/tool.ts"
import { type Harness, openHarness } from "../helpers/engine/workflow-harness.ts"
import { createFakeTurns } from "../helpers/models/fake-model.ts"
import { createAnthropicAnswer, createAnthropicText } from "../helpers/providers/anthropic-wire.ts"
import {
  type FakeProvider,
  type FakeReply,
  type RecordedRequest,
  startFakeProvider,
} from "../helpers/providers/fake-provider-server.ts"
import {
  createOpenAiAnswer,
  createOpenAiCall,
  createOpenAiMessage,
} from "../helpers/providers/openai-responses-wire.ts"
import {
  anthropicUsage,
  type CacheUse,
  createAnthropicCache,
  createOpenAiCache,
  openAiUsage,
  type PromptCache,
} from "../helpers/providers/prompt-cache.ts"

let harness: Harness
let server: FakeProvider
afterEach(async () => {
  await harness.close()
  await server.close()
})

const steps = 40
const contextTokens = 8_000

interface Wire {
  readonly provider: "anthropic" | "openai"
  readonly model: string
  readonly baseUrl: (url: string) => string
  readonly createCache: () => PromptCache
  readonly isSummary: (request: RecordedRequest) => boolean
  readonly summary: (use: CacheUse) => FakeReply
  readonly text: (use: CacheUse) => FakeReply
  readonly call: (turn: number, use: CacheUse) => FakeReply
  /** The share of a summary's prompt that comes from the cache, at least. */
  readonly cachedSummary: number
}

const seen = "Every place was empty."

const wires: readonly Wire[] = [
  {
    provider: "anthropic",
    model: "claude-fake",
    baseUrl: (url) => url,
    createCache: createAnthropicCache,
    isSummary: ({ body }) => body["compaction"] !== undefined,
    summary: (use) => ({
      kind: "http",
      status: 200,
      body: {
        ...{ id: "msg_summary", type: "message", role: "assistant", model: "claude-fake", stop_sequence: null },
        stop_reason: "compaction",
        content: [{ type: "compaction", content: seen, encrypted_content: null, signature: "sig-1" }],
        usage: { output_tokens: 20, ...anthropicUsage(use).usage },
      },
    }),
    text: (use) => createAnthropicText("All was looked at.", anthropicUsage(use)),
    call: (turn, use) =>
      createAnthropicAnswer(
        [{ type: "tool_use", id: `toolu_${turn}`, name: "Look", pieces: [JSON.stringify({ at: turn })] }],
        anthropicUsage(use),
      ),
    cachedSummary: 0.5,
  },
  {
    provider: "openai",
    model: "gpt-5-fake",
    baseUrl: (url) => `${url}/v1`,
    createCache: createOpenAiCache,
    isSummary: ({ body }) => String(body["prompt_cache_key"]).endsWith("-summary"),
    summary: (use) => createOpenAiAnswer([createOpenAiMessage("msg_summary", seen)], openAiUsage(use)),
    text: (use) => createOpenAiAnswer([createOpenAiMessage("msg_end", "All was looked at.")], openAiUsage(use)),
    call: (turn, use) =>
      createOpenAiAnswer(
        [createOpenAiCall(`fc_${turn}`, `call_${turn}`, { name: "Look", args: JSON.stringify({ at: turn }) })],
        openAiUsage(use),
      ),
    cachedSummary: 0,
  },
]

const look: Tool = {
  name: "Look",
  description: "Looks at a place.",
  input: z.strictObject({ at: z.number() }),
  readOnly: true,
  idempotent: true,
  execute: async (input) => ({ content: `${JSON.stringify(input)} `.padEnd(2_048, "no herons here ") }),
}

const shareOf = ({ read, written, uncached }: CacheUse): number => read / (read + written + uncached)

describe.each(wires)("the prompt cache of $provider", (wire) => {
  it("is lost once for each time that the conversation is shortened, and never in between", async () => {
    const cache = wire.createCache()
    const turns: CacheUse[] = []
    const summaries: CacheUse[] = []
    server = await startFakeProvider((request) => {
      const use = cache.use(request)
      if (wire.isSummary(request)) {
        summaries.push(use)
        return wire.summary(use)
      }
      const turn = turns.push(use)
      return turn === steps ? wire.text(use) : wire.call(turn, use)
    })
    const model = {
      provider: wire.provider,
      model: wire.model,
      baseUrl: wire.baseUrl(server.url),
      maxOutputTokens: 1_000,
      contextTokens,
    }
    harness = await openHarness({
      tools: [look],
      model: createFakeTurns(),
      env: { ANTHROPIC_API_KEY: "sk-test-a", OPENAI_API_KEY: "sk-test-o" },
      config: { models: { main: model }, prices: { [wire.model]: { inputPerMTok: 1, outputPerMTok: 10 } } },
    })
    const id = await harness.start({ allowed_tools: ["Look"], max_steps: steps })
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed", final_message: "All was looked at." })

    const compactions = (await harness.client.messages(id)).flatMap(({ message }) =>
      message.role === "user" && message.compaction !== undefined ? [message.compaction] : [],
    )
    expect(compactions.length).toBeGreaterThan(1)
    const written = compactions.filter(({ kind }) => kind === "summary")
    expect(written).toHaveLength(summaries.length)
    expect(new Set(written.map(({ model: name }) => name))).toEqual(
      new Set([wire.provider === "anthropic" ? "main" : "light"]),
    )
    // The first prompts are shorter than what a provider caches.
    const lost = turns.slice(5).filter((use) => shareOf(use) < 0.7)
    expect(lost.length).toBeLessThanOrEqual(compactions.length)
    for (const use of summaries) expect(shareOf(use)).toBeGreaterThanOrEqual(wire.cachedSummary)
  })
})

import { afterEach, describe, expect, it } from "vitest"
import { z } from "zod"
import type { Tool } from "../../tools/tool.ts"
import type { Harness } from "../helpers/engine/workflow-harness.ts"
import { openHarness } from "../helpers/engine/workflow-harness.ts"
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
const actor = { by: "test", via: "cli" }

afterEach(async () => {
  await harness.close()
  await server.close()
})

const steps = 200
const steeredAt = 50
const delegatesAt = 100
const restartedAt = 150
const childPrompt = "Say that it works."

type Call = readonly [name: string, args: Readonly<Record<string, unknown>>]

/** One provider's wire format, with its prompt cache. */
interface Wire {
  readonly provider: "anthropic" | "openai"
  readonly model: string
  readonly baseUrl: (url: string) => string
  readonly createCache: () => PromptCache
  readonly prompt: "messages" | "input"
  readonly text: (text: string, use: CacheUse) => FakeReply
  readonly call: (turn: number, call: Call, use: CacheUse) => FakeReply
}

const wires: readonly Wire[] = [
  {
    provider: "anthropic",
    model: "claude-fake",
    baseUrl: (url) => url,
    createCache: createAnthropicCache,
    prompt: "messages",
    text: (text, use) => createAnthropicText(text, anthropicUsage(use)),
    call: (turn, [name, args], use) =>
      createAnthropicAnswer(
        [{ type: "tool_use", id: `toolu_${turn}`, name, pieces: [JSON.stringify(args)] }],
        anthropicUsage(use),
      ),
  },
  {
    provider: "openai",
    model: "gpt-5-fake",
    baseUrl: (url) => `${url}/v1`,
    createCache: createOpenAiCache,
    prompt: "input",
    text: (text, use) => createOpenAiAnswer([createOpenAiMessage("msg_end", text)], openAiUsage(use)),
    call: (turn, [name, args], use) =>
      createOpenAiAnswer(
        [createOpenAiCall(`fc_${turn}`, `call_${turn}`, { name, args: JSON.stringify(args) })],
        openAiUsage(use),
      ),
  },
]

/** Returns how many calls the prompt contains that were answered: the turn, minus one. */
const countCalls = (request: RecordedRequest): number =>
  JSON.stringify(request.body).match(/"type":"(tool_use|function_call)"/g)?.length ?? 0

const callOf = (turn: number): Call =>
  turn === delegatesAt
    ? ["Task", { description: "Say it", prompt: childPrompt, subagent_type: "general" }]
    : ["Look", { at: turn }]

/** A provider whose model looks at something in each step, and delegates once; returns what each request took from the cache. */
const startProvider = async (wire: Wire): Promise<readonly CacheUse[]> => {
  const cache = wire.createCache()
  const uses: CacheUse[] = []
  server = await startFakeProvider((request) => {
    const use = cache.use(request)
    uses.push(use)
    const prompt = request.body[wire.prompt]
    const first = JSON.stringify(Array.isArray(prompt) ? prompt[0] : undefined)
    if (first.includes(childPrompt)) return wire.text("It works.", use)
    const turn = countCalls(request) + 1
    return turn === steps ? wire.text("All was looked at.", use) : wire.call(turn, callOf(turn), use)
  })
  return uses
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)

describe.each(wires)("the prompt cache of $provider", (wire) => {
  it("is read for nine tenths of a long run's prompts, across steering, delegation and a restart", async () => {
    const uses = await startProvider(wire)
    const reached = Promise.withResolvers<void>()
    const look: Tool = {
      name: "Look",
      description: "Looks at a place.",
      input: z.strictObject({ at: z.number() }),
      readOnly: true,
      idempotent: true,
      execute: async (input) => {
        const { at } = z.object({ at: z.number() }).parse(input)
        if (at === steeredAt)
          await harness.client.send({ sessionId: id, text: "Look closer.", type: "steering", actor })
        if (at === restartedAt) reached.resolve()
        return { content: `${at} ${"seen ".repeat(400)}` }
      },
    }
    harness = await openHarness({
      tools: [look],
      model: createFakeTurns(),
      env: { ANTHROPIC_API_KEY: "sk-test-a", OPENAI_API_KEY: "sk-test-o" },
      config: {
        models: { main: { provider: wire.provider, model: wire.model, baseUrl: wire.baseUrl(server.url) } },
        prices: { [wire.model]: { inputPerMTok: 1, outputPerMTok: 10 } },
      },
    })
    const id = await harness.start({ allowed_tools: ["Look", "Task"], max_steps: steps })
    await reached.promise
    await harness.stopWorker()
    await harness.startWorker()
    const document = await harness.client.wait(id)
    expect(document).toMatchObject({ outcome: "completed", final_message: "All was looked at.", steps_taken: steps })
    const roles = (await harness.client.messages(id)).flatMap(({ message }) =>
      message.role === "user" ? [message.source] : [],
    )
    expect(roles).toContain("steering")

    const prompts = sum(uses.flatMap(({ read, written, uncached }) => [read, written, uncached]))
    expect(sum(uses.map(({ read }) => read)) / prompts).toBeGreaterThanOrEqual(0.9)
    // The restart can repeat one answer; nothing else is asked twice.
    expect(uses.length).toBeLessThanOrEqual(steps + 2)
    // One prompt is new: the sub-agent's.
    const shares = uses.slice(10).map(({ read, written, uncached }) => read / (read + written + uncached))
    expect(shares.filter((share) => share < 0.5)).toHaveLength(1)
  })
})

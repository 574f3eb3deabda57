import { readFile } from "node:fs/promises"
import path from "node:path"
import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import { z } from "zod"
import type { ConfigInput } from "../../../contracts/config/config.ts"
import { summariserPrompt } from "../../../domain/compaction/summary-request.ts"
import type { Tool } from "../../../tools/tool.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"
import { createFakeTurns } from "../../helpers/models/fake-model.ts"
import { describeWith } from "../../helpers/needs.ts"
import { type FakeProvider, startFakeProvider } from "../../helpers/providers/fake-provider-server.ts"
import { inspect, type InspectBridge, startInspectBridge } from "../../helpers/providers/start-inspect-bridge.ts"
import { type Respond, signatures } from "./upstream.ts"

const actor = { by: "mia", via: "cli" }
const providers = ["openai-compatible", "openai", "anthropic"] as const
type Provider = (typeof providers)[number]

const attempts = 2
/** What the mock model accepts in the conversation that does not fit. */
const windowTokens = 11_000
const charactersPerToken = 4

/** Over Chat Completions, the bridge puts an empty line before a text. */
const said = (text: string): unknown => expect.toSatisfy((message: string) => message.trim() === text)

const isPositive = (count: number): boolean => count > 0

/** The bridge asks here what its mock model answers. */
let mind: FakeProvider
let bridge: InspectBridge
let respond: Respond
let harness: Harness

const modelAt = (provider: Provider): NonNullable<ConfigInput["models"]>[string] => ({
  provider,
  model: "inspect",
  baseUrl: provider === "anthropic" ? bridge.url : `${bridge.url}/v1`,
  apiKeyEnv: "BRIDGE_KEY",
})

const open = async (models: ConfigInput["models"], tools?: readonly Tool[]): Promise<void> => {
  harness = await openHarness({
    model: createFakeTurns(),
    env: { BRIDGE_KEY: "none" },
    config: {
      models,
      timing: { modelAttempts: attempts, providerPauseSeconds: 60 },
      tools: { policy: { Write: "prompt", Look: "auto" } },
      prices: { inspect: { inputPerMTok: 1, outputPerMTok: 10 } },
    },
    ...(tools === undefined ? {} : { tools }),
  })
}

const eventsOf = async (id: string, type: string) =>
  (await harness.store.events.read(id, { after: 0, limit: 1_000 })).events.filter((event) => event.type === type)

const look: Tool = {
  name: "Look",
  description: "Looks at a place.",
  input: z.strictObject({ at: z.number() }),
  readOnly: true,
  idempotent: true,
  execute: async () => ({ content: "no herons here ".repeat(900) }),
}

describeWith([inspect], "a bridge of inspect-ai with its mock model", () => {
  beforeAll(async () => {
    mind = await startFakeProvider(({ body }) => {
      const turn = Number(body["results"]) + 1
      const conversation = JSON.stringify(body["messages"])
      const reply = respond(turn, conversation)
      const signed = "call" in reply && turn <= signatures.length ? { signature: signatures[turn - 1] } : {}
      const tokens = Math.ceil(conversation.length / charactersPerToken)
      return { kind: "http", status: 200, body: { ...reply, ...signed, tokens } }
    })
    bridge = await startInspectBridge(mind.url)
  })
  afterEach(() => harness.close())
  afterAll(async () => {
    await bridge[Symbol.asyncDispose]()
    await mind.close()
  })

  // Over Messages, the bridge writes the thoughts of its mock model as text, without their signatures.
  it.each(providers)("lets a run with calls and a pause complete: %s", async (provider) => {
    const replies: readonly ReturnType<Respond>[] = [
      { call: ["LS", {}] },
      { call: ["Write", { file_path: "a.txt", content: "héron\n" }] },
    ]
    respond = (turn) => replies[turn - 1] ?? { text: "Written, naïvely." }
    await open({ main: modelAt(provider) })
    const id = await harness.start({ auto_approve: false })
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "paused" })
    await harness.client.decide({ sessionId: id, all: { action: "accept" }, unlisted: "pending", actor })
    expect(await harness.client.wait(id)).toMatchObject({
      outcome: "completed",
      final_message: said("Written, naïvely."),
      steps_taken: 3,
      usage: { input_tokens: expect.toSatisfy(isPositive), output_tokens: expect.toSatisfy(isPositive) },
    })
    expect(await readFile(path.join(harness.cwd, "a.txt"), "utf8")).toBe("héron\n")
    const last = JSON.stringify(mind.requests.at(-1)?.body)
    const returned = signatures.filter((signature) => last.includes(signature))
    expect(returned).toHaveLength(provider === "anthropic" ? 0 : signatures.length)
  })

  it.each(providers)("has a conversation that it refuses shortened: %s", async (provider) => {
    let turns = 0
    let refused = 0
    respond = (_turn, body) => {
      const tokens = Math.ceil(body.length / charactersPerToken)
      if (body.includes(summariserPrompt.slice(0, 40))) return { text: "There were no herons." }
      if (tokens > windowTokens) {
        refused += 1
        return { status: 400, problem: `prompt is too long: ${tokens} tokens > ${windowTokens} maximum` }
      }
      turns += 1
      return turns < 6 ? { call: ["Look", { at: turns }] } : { text: "Done." }
    }
    const model = { ...modelAt(provider), maxOutputTokens: 1_000 }
    await open({ main: model, light: model }, [look])
    const id = await harness.start({ allowed_tools: ["Look"], prompt: "Remember the heron." })
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed", final_message: said("Done.") })
    expect(refused).toBeGreaterThan(0)
    expect(await eventsOf(id, "context-compacted")).not.toEqual([])
  })

  it.each(providers)("is replaced by the fallback model while it is overloaded: %s", async (provider) => {
    const other = provider === "openai" ? "anthropic" : "openai"
    await open({ main: { ...modelAt(provider), fallback: ["other"] }, other: modelAt(other) })
    let answered = 0
    let failed = 0
    respond = (turn) => {
      if (turn > 1 && failed < attempts) {
        failed += 1
        return { status: 503, problem: "overloaded" }
      }
      answered += 1
      return answered === 1 ? { call: ["LS", {}] } : { text: "Taken over." }
    }
    const id = await harness.start()
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed", final_message: said("Taken over.") })
    expect(await eventsOf(id, "model-changed")).toMatchObject([{ from: "main", to: "other" }])
    expect(failed).toBe(attempts)
  })
})

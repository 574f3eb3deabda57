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
import { litellm, type LiteLlm, startLiteLlm } from "../../helpers/providers/start-litellm.ts"
import { createUpstream, type Respond, signatures } from "./upstream.ts"

const actor = { by: "mia", via: "cli" }
const price = { inputPerMTok: 1, outputPerMTok: 10 }

/** The vendors whose APIs the gateway calls. */
const vendors = ["openai", "deepseek", "anthropic", "gemini"] as const
type Vendor = (typeof vendors)[number]
/** The providers with which Adjutant calls the gateway: Chat Completions, Responses and Messages. */
const providers = ["openai-compatible", "openai", "anthropic"] as const
type Provider = (typeof providers)[number]

const attempts = 2
/** What each vendor accepts in the conversation that does not fit. */
const windowTokens = 11_000

const ways = providers.flatMap((provider) => vendors.map((vendor) => [provider, vendor] as const))

const someWays = [
  ["openai-compatible", "gemini"],
  ["openai-compatible", "anthropic"],
  ["openai", "deepseek"],
  ["anthropic", "openai"],
] as const satisfies readonly (readonly [Provider, Vendor])[]

let upstream: FakeProvider
let gateway: LiteLlm
let respond: Respond
let harness: Harness

const addressOf = (vendor: Vendor, url: string): string => {
  switch (vendor) {
    case "anthropic":
      return url
    case "gemini":
      return `${url}/v1beta/models/fake`
    default:
      return `${url}/v1`
  }
}

const modelAt = (provider: Provider, model: Vendor): NonNullable<ConfigInput["models"]>[string] => ({
  provider,
  model,
  baseUrl: provider === "anthropic" ? gateway.url : `${gateway.url}/v1`,
  apiKeyEnv: "GATEWAY_KEY",
  // Only OpenAI has this field, and LiteLLM refuses it for the others.
  ...(provider === "openai" ? { extraBody: { prompt_cache_key: null } } : {}),
})

const open = async (models: ConfigInput["models"], tools?: readonly Tool[]): Promise<void> => {
  harness = await openHarness({
    model: createFakeTurns(),
    env: { GATEWAY_KEY: gateway.key },
    config: {
      models,
      timing: { modelAttempts: attempts, providerPauseSeconds: 60 },
      tools: { policy: { Write: "prompt", Look: "auto" } },
      prices: Object.fromEntries(vendors.map((vendor) => [vendor, price])),
    },
    ...(tools === undefined ? {} : { tools }),
  })
}

/** Claude and Gemini sign their thoughts, and want them back. Between Messages and Gemini's own API, LiteLLM drops them. */
const signsAt = (address: string, provider: Provider): boolean =>
  address.endsWith("/messages") || (address.includes("GenerateContent") && provider !== "anthropic")

const isPositive = (count: number): boolean => count > 0

const eventsOf = async (id: string, type: string) =>
  (await harness.store.events.read(id, { after: 0, limit: 1_000 })).events.filter((event) => event.type === type)

const look: Tool = {
  name: "Look",
  description: "Looks at a place.",
  input: z.strictObject({ at: z.number() }),
  readOnly: true,
  idempotent: true,
  execute: async () => ({ content: "no herons here ".repeat(400) }),
}

describeWith([litellm], "a LiteLLM proxy in front of a vendor's API", () => {
  beforeAll(async () => {
    upstream = await startFakeProvider(createUpstream((turn, body) => respond(turn, body)))
    gateway = await startLiteLlm(
      Object.fromEntries(
        vendors.map((vendor) => [
          vendor,
          { model: `${vendor}/fake`, api_key: "sk-upstream", api_base: addressOf(vendor, upstream.url) },
        ]),
      ),
    )
  })
  afterEach(() => harness.close())
  afterAll(async () => {
    await gateway[Symbol.asyncDispose]()
    await upstream.close()
  })

  it.each(ways)("lets a run with calls and a pause complete: %s, in front of %s", async (provider, vendor) => {
    const replies: readonly ReturnType<Respond>[] = [
      { call: ["LS", {}] },
      { call: ["Write", { file_path: "a.txt", content: "héron\n" }] },
    ]
    respond = (turn) => replies[turn - 1] ?? { text: "Written, naïvely." }
    await open({ main: modelAt(provider, vendor) })
    const id = await harness.start({ auto_approve: false })
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "paused" })
    await harness.client.decide({ sessionId: id, all: { action: "accept" }, unlisted: "pending", actor })
    const document = await harness.client.wait(id)
    expect(document).toMatchObject({
      outcome: "completed",
      final_message: "Written, naïvely.",
      steps_taken: 3,
      usage: { input_tokens: expect.toSatisfy(isPositive), output_tokens: expect.toSatisfy(isPositive) },
    })
    expect(await readFile(path.join(harness.cwd, "a.txt"), "utf8")).toBe("héron\n")
    const last = upstream.requests.at(-1)
    const returned = signatures.filter((signature) => JSON.stringify(last?.body).includes(signature))
    expect(returned).toHaveLength(signsAt(last?.path ?? "", provider) ? 2 : 0)
  })

  it.each(someWays)("has a conversation that it refuses shortened: %s, in front of %s", async (provider, vendor) => {
    let turns = 0
    let refused = 0
    respond = (_turn, body) => {
      const tokens = Math.ceil(body.length / 4)
      if (body.includes(summariserPrompt.slice(0, 40))) {
        return { text: "There were no herons." }
      }
      if (tokens > windowTokens) {
        refused += 1
        return { status: 400, problem: `prompt is too long: ${tokens} tokens > ${windowTokens} maximum` }
      }
      turns += 1
      return turns < 12 ? { call: ["Look", { at: turns }] } : { text: "Done." }
    }
    const model = { ...modelAt(provider, vendor), maxOutputTokens: 1_000 }
    await open({ main: model, light: model }, [look])
    const id = await harness.start({ allowed_tools: ["Look"], prompt: "Remember the heron." })
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed", final_message: "Done." })
    expect(refused).toBeGreaterThan(0)
    expect(await eventsOf(id, "context-compacted")).not.toEqual([])
  })

  it.each(ways)(
    "is replaced by the fallback model while it is overloaded: %s, in front of %s",
    async (provider, vendor) => {
      const other = vendor === "openai" ? "anthropic" : "openai"
      await open({
        main: { ...modelAt(provider, vendor), fallback: ["other"] },
        other: modelAt("openai-compatible", other),
      })
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
      expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed", final_message: "Taken over." })
      expect(await eventsOf(id, "model-changed")).toMatchObject([{ from: "main", to: "other" }])
      expect(failed).toBe(attempts)
    },
  )
})

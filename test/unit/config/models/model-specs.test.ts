import { describe, expect, it } from "vitest"
import { configSchema, type ConfigInput } from "../../../../contracts/config/config.ts"
import { modelSpecs } from "../../../../config/models/model-specs.ts"
import { readFile } from "node:fs/promises"
import { publishedModels as publishedLines } from "../../../../config/models/published-models.ts"
import { publishedModels } from "../../../../scripts/prices/published-models.ts"
import { knownModel, priceTable } from "../../../../config/models/price-table.ts"

const specs = (env: Record<string, string>, config: ConfigInput = {}) =>
  modelSpecs({ config: configSchema.parse(config), env, projectRoot: "/project" })

describe("what requests of a model have", () => {
  const settings = {
    headers: { "X-Team": "a" },
    headersEnv: { "X-Token": "T" },
    extraBody: { provider: { order: ["a"] } },
    temperature: 0.2,
    dialect: { maxTokensField: "max_completion_tokens" as const },
  }
  const model = { provider: "openai-compatible" as const, model: "m", baseUrl: "http://x", ...settings }

  it("is in the settings of its runs", () => {
    expect(specs({}, { models: { main: model } }).models["main"]).toMatchObject(settings)
  })

  it.each([
    ["a field that Adjutant fills", { extraBody: { messages: [] } }],
    ["a header that breaks the request", { headers: { "X-A": "a\r\nX-B: b" } }],
    ["a header without a name", { headers: { "X A": "a" } }],
    ["a dialect that nobody knows", { dialect: { maxTokensField: "limit" } }],
  ])("cannot be %s", (_what, change) => {
    expect(configSchema.safeParse({ models: { main: { ...model, ...change } } }).success).toBe(false)
  })

  it("has no temperature where the API has none", () => {
    const claude = { provider: "anthropic", model: "claude-opus-5-5", temperature: 1 }
    expect(configSchema.safeParse({ models: { main: claude } }).success).toBe(false)
  })
})

describe("a model of Azure OpenAI", () => {
  const model = { provider: "azure-openai" as const, model: "gpt-5.5", apiVersion: "2024-12-01-preview" }
  const baseUrl = "https://example.openai.azure.com"

  it("has its deployment, and the price and context of the vendor's model", () => {
    const main = { ...model, baseUrl, deployment: "team-gpt" }
    expect(specs({}, { models: { main } }).models["main"]).toMatchObject({
      baseUrl,
      apiKeyEnv: "AZURE_OPENAI_API_KEY",
      azure: { deployment: "team-gpt", apiVersion: "2024-12-01-preview", auth: "key" },
      price: priceTable["gpt-5.5"]?.price,
      contextTokens: priceTable["gpt-5.5"]?.contextTokens,
    })
  })

  it("is at the address of the environment, and a program prints its token, unless it says otherwise", () => {
    const apiKeyCommand = { command: "az" }
    const token = { ...model, apiKeyCommand }
    const key = { ...token, auth: "key" as const }
    const { models } = specs({ AZURE_OPENAI_ENDPOINT: baseUrl }, { models: { token, key } })
    expect(models["token"]).toMatchObject({ baseUrl, azure: { deployment: "gpt-5.5", auth: "token" } })
    expect(models["key"]?.azure?.auth).toBe("key")
  })

  it("must name the version of the API", () => {
    const { apiVersion: _, ...without } = model
    for (const main of [without, { ...model, apiVersion: "1&x=y" }])
      expect(configSchema.safeParse({ models: { main } }).success).toBe(false)
  })
})

describe("models from the environment", () => {
  it("do not exist if nothing is set", () => {
    expect(specs({}).models).toEqual({})
    expect(specs({ ANTHROPIC_API_KEY: "  ", LLM_API_KEY: "k", LLM_BASE_URL: "http://x" }).models).toEqual({})
  })

  it.each([
    ["ANTHROPIC_API_KEY", "anthropic", "claude-opus-5-5", "claude-haiku-5-5"],
    ["OPENAI_API_KEY", "openai", "gpt-6.1-sol", "gpt-6-luna"],
  ])("are the provider's own with %s", (apiKeyEnv, provider, main, light) => {
    expect(specs({ [apiKeyEnv]: "k" }).models).toMatchObject({
      main: { provider, model: main, apiKeyEnv },
      light: { provider, model: light, apiKeyEnv },
    })
  })

  it("are an OpenAI-compatible server's with LLM_BASE_URL, including light", () => {
    const env = {
      LLM_MODEL_ID: "qwen3",
      LLM_BASE_URL: "http://127.0.0.1:1/v1",
      LLM_API_KEY: "k",
      ANTHROPIC_API_KEY: "a",
    }
    const expected = {
      provider: "openai-compatible",
      model: "qwen3",
      baseUrl: "http://127.0.0.1:1/v1",
      apiKeyEnv: "LLM_API_KEY",
    }
    expect(specs(env).models).toMatchObject({ main: expected, light: expected })
    expect(specs({ ...env, LLM_API_KEY: "" }).models["main"]?.apiKeyEnv).toBeUndefined()
  })

  it("use the provider that the model's name implies if there is no base URL", () => {
    expect(specs({ LLM_MODEL_ID: "claude-x", LLM_API_KEY: "k" }).models["main"]).toMatchObject({
      provider: "anthropic",
      apiKeyEnv: "LLM_API_KEY",
    })
    expect(specs({ LLM_MODEL_ID: "gpt-6-luna" }).models["main"]).toMatchObject({
      provider: "openai",
      apiKeyEnv: "OPENAI_API_KEY",
    })
  })

  it("use LIGHT_LLM for light, at its own address or else at main's", () => {
    const main = { LLM_MODEL_ID: "big", LLM_BASE_URL: "http://a/v1", LLM_API_KEY: "k" }
    expect(specs({ ...main, LIGHT_LLM_MODEL_ID: "small" }).models["light"]).toMatchObject({
      model: "small",
      baseUrl: "http://a/v1",
      apiKeyEnv: "LLM_API_KEY",
    })
    const apart = specs({
      ...main,
      LIGHT_LLM_MODEL_ID: "small",
      LIGHT_LLM_BASE_URL: "http://b/v1",
      LIGHT_LLM_API_KEY: "k",
    })
    expect(apart.models["light"]).toMatchObject({ baseUrl: "http://b/v1", apiKeyEnv: "LIGHT_LLM_API_KEY" })
  })

  it("are not replaced by others where only the address of their server is set", () => {
    const light = { LIGHT_LLM_BASE_URL: "http://b/v1" }
    const main = { LLM_BASE_URL: "http://a/v1" }
    const both = { ...light, ...main, ANTHROPIC_API_KEY: "k" }
    const problem = (prefix: string) =>
      `${prefix}LLM_BASE_URL is set, but ${prefix}LLM_MODEL_ID is not: set it to the id of a model of that server, or unset ${prefix}LLM_BASE_URL`
    expect(() => specs({ ...main, ANTHROPIC_API_KEY: "k" })).toThrow(problem(""))
    expect(() => specs({ ...light, ANTHROPIC_API_KEY: "k" })).toThrow(problem("LIGHT_"))
    expect(() => specs({ ...light, ...main, LLM_MODEL_ID: "big" })).toThrow(problem("LIGHT_"))
    // A server that nothing stands in for is named where a run needs a model.
    expect(specs({ ...light, ...main }).models).toEqual({})
    const models = { main: { provider: "anthropic", model: "claude-sonnet-5-5" } } as const
    expect(specs(both, { models: { ...models, light: models.main } }).models).toHaveProperty("main")
    expect(() => specs(both, { models })).toThrow(problem("LIGHT_"))
  })

  it("never send main's key to light's own server", () => {
    const env = {
      LLM_MODEL_ID: "big",
      LLM_API_KEY: "k",
      LIGHT_LLM_MODEL_ID: "small",
      LIGHT_LLM_BASE_URL: "http://b/v1",
    }
    expect(specs(env).models["light"]?.apiKeyEnv).toBeUndefined()
  })

  it("give way to the configuration", () => {
    const env = { LLM_MODEL_ID: "env", LLM_BASE_URL: "http://a/v1", ANTHROPIC_API_KEY: "k" }
    const { models } = specs(env, {
      models: { main: { provider: "anthropic", model: "claude-sonnet-5-5", apiKeyEnv: "MINE" } },
    })
    expect(models).toMatchObject({
      main: { model: "claude-sonnet-5-5", apiKeyEnv: "MINE" },
      light: { model: "claude-haiku-5-5", apiKeyEnv: "MINE" },
    })
  })

  it("use the providers' base URLs, and reject an invalid one without repeating it", () => {
    expect(specs({ ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: "http://p/a" }).models["main"]?.baseUrl).toBe(
      "http://p/a",
    )
    expect(() => specs({ ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: "http://u:hunter2@p" })).toThrow(
      /^ANTHROPIC_BASE_URL: (?!.*hunter2)/,
    )
  })
})

describe("prices", () => {
  const models = {
    own: { provider: "openai-compatible", model: "claude-opus-5-5", baseUrl: "http://x/v1" },
    demo: { provider: "scripted", script: "demo.yaml" },
    opus: { provider: "anthropic", model: "claude-opus-5-5" },
    new: { provider: "anthropic", model: "claude-unheard-of" },
  } as const

  it("and contexts come from the table, also for a gateway's model whose id says which one it is", () => {
    const qwen = { provider: "openai-compatible", model: "qwen3", baseUrl: "http://x/v1" } as const
    const short = { ...models.own, contextTokens: 50_000 }
    const given = specs({}, { models: { ...models, qwen, short } }).models
    const { price, contextTokens } = priceTable["claude-opus-5-5"] ?? {}
    expect(given["opus"]).toMatchObject({ price, contextTokens })
    expect(given["own"]).toMatchObject({ price, contextTokens })
    expect(given["short"]).toMatchObject({ price, contextTokens: 50_000 })
    for (const name of ["new", "qwen"]) expect(given[name]?.price).toBeNull()
    expect(given["qwen"]).not.toHaveProperty("contextTokens")
  })

  it("are zero for a script, whose path is relative to the project", () => {
    expect(specs({}, { models }).models["demo"]).toMatchObject({
      script: "/project/demo.yaml",
      price: { inputPerMTok: 0, outputPerMTok: 0 },
    })
  })

  it("in the configuration take precedence, by model id or by name", () => {
    const price = { inputPerMTok: 7, outputPerMTok: 8 }
    const given = specs({}, { models, prices: { "claude-opus-5-5": price, demo: price } })
    for (const name of ["opus", "own", "demo"]) expect(given.models[name]?.price).toEqual(price)
    expect(given.knownModels["claude-opus-5-5"]?.price).toEqual(price)
  })

  it("and contexts of dated and older ids are known, and the id is sent as it is", () => {
    const { modelById, knownModels } = specs({}, { models: { main: { ...models.opus, fallback: ["gpt-5.5"] } } })
    const dated = modelById("claude-haiku-4-5-20251001")
    expect(dated).toMatchObject({ provider: "anthropic", model: "claude-haiku-4-5-20251001", contextTokens: 200_000 })
    expect(dated?.price).toEqual(priceTable["claude-haiku-4-5"]?.price)
    expect(modelById("claude-sonnet-4-6")?.price).toMatchObject({ inputPerMTok: 3, outputPerMTok: 15 })
    expect(modelById("gpt-5.5")?.price).toMatchObject({ inputPerMTok: 5, outputPerMTok: 30 })
    expect(modelById("claude-unheard-of")).toBeUndefined()
    // A newer model is not taken for an older one whose id begins its own.
    expect(modelById("claude-sonnet-5-9")).toBeUndefined()
    expect(knownModels).toHaveProperty(["gpt-5.5"])
    expect(Object.keys(knownModels)).not.toContain("claude-sonnet-4-6")
    expect(Object.keys(knownModels).find((id) => id.includes("haiku"))).toBe("claude-haiku-5-5")
  })

  it("of writes to the cache are higher where they last an hour", () => {
    const hour = { provider: "anthropic", model: "claude-opus-5-5", cacheMinutes: 60 } as const
    const given = specs(
      {},
      {
        models: { hour, usual: { ...hour, cacheMinutes: 5 }, own: { ...hour, model: "own" } },
        prices: { own: { inputPerMTok: 3, outputPerMTok: 9, cacheWritePerMTok: 4 } },
      },
    ).models
    expect(given["hour"]).toMatchObject({ cacheMinutes: 60, price: { inputPerMTok: 4, cacheWritePerMTok: 8 } })
    expect(given["usual"]?.price).toMatchObject({ cacheWritePerMTok: 5 })
    expect(given["usual"]?.cacheMinutes).toBe(5)
    expect(given["own"]?.price).toMatchObject({ inputPerMTok: 3, cacheWritePerMTok: 6 })
    const routed = {
      provider: "openai-compatible",
      model: "anthropic/claude-opus-5-5",
      baseUrl: "https://openrouter.ai/api/v1",
      dialect: { cacheControl: true },
    } as const
    const behind = specs({}, { models: { routed: { ...routed, cacheMinutes: 60 }, brief: routed } }).models
    expect(behind["routed"]).toMatchObject({ cacheMinutes: 60, price: { cacheWritePerMTok: 8 } })
    expect(behind["brief"]).not.toHaveProperty("cacheMinutes")
  })

  it("are those of the package from which the table is written", () => {
    expect(publishedLines).toEqual(publishedModels())
  })

  it("are known for the models that the pinned SDK of Anthropic names, unless they have no list price", async () => {
    const root = "../../../../node_modules/@anthropic-ai/sdk/resources/messages/"
    const file = new URL(`${root}messages.d.ts`, import.meta.url)
    const ids = new Set((await readFile(file, "utf8")).match(/(?<=')claude-[\w-]+(?=')/g))
    expect([...ids].filter((id) => knownModel(id) === undefined && !/mythos|fable-5-2/.test(id))).toEqual([])
    expect(ids.size).toBeGreaterThan(15)
  })

  it("in the table include every default model", () => {
    for (const id of ["claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5", "gpt-6.1-sol", "gpt-6-luna"])
      expect(priceTable[id]?.price.inputPerMTok).toBeGreaterThan(0)
  })
})

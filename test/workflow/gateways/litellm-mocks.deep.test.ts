import { readFile } from "node:fs/promises"
import path from "node:path"
import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import { parse } from "yaml"
import { z } from "zod"
import type { ConfigInput } from "../../../contracts/config/config.ts"
import { classifyModelError } from "../../../models/failure/classify-model-error.ts"
import { createModelProviders } from "../../../models/model-registry.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"
import { createFakeTurns } from "../../helpers/models/fake-model.ts"
import { describeWith } from "../../helpers/needs.ts"
import { createModelRequest, modelSpec } from "../../helpers/providers/model-request.ts"
import { litellm, type LiteLlm, startLiteLlm } from "../../helpers/providers/start-litellm.ts"

const page = path.resolve(import.meta.dirname, "../../../docs/model-servers.md")
const answer = "Hello from the mock."

const gatewayExample = z.object({
  model_list: z.tuple([z.object({ model_name: z.string(), litellm_params: z.looseObject({ model: z.string() }) })]),
})

/** Returns the two examples of a section of the page: the gateway's configuration, and Adjutant's. */
const examplesOf = async (heading: string) => {
  const section = (await readFile(page, "utf8")).split("\n## ").find((each) => each.startsWith(heading)) ?? ""
  const [gateway, own] = [...section.matchAll(/^```yaml\n([^]*?)^```/gm)].map(([, text]): unknown => parse(text ?? ""))
  const [{ model_name: name, litellm_params: params }] = gatewayExample.parse(gateway).model_list
  const { models, prices } = z.object({ models: z.looseObject({}), prices: z.looseObject({}) }).parse(own)
  return { name, params, config: { models, prices } }
}

const failing = {
  rate: "litellm.RateLimitError",
  context: "litellm.ContextWindowExceededError",
  internal: "litellm.InternalServerError",
} as const
/** What Adjutant makes of each failure. */
const kinds = { rate: "retry", context: "context_exceeded", internal: "retry" } as const
const failures = (["rate", "context", "internal"] as const).flatMap((name) =>
  (["openai-compatible", "anthropic"] as const).map((provider) => [name, provider, kinds[name]] as const),
)

const mocked = (mock: string) => ({ model: "openai/mock", api_key: "sk-mock", mock_response: mock })

let gateway: LiteLlm
let harness: Harness | undefined

const ask = (provider: "openai-compatible" | "anthropic", model: string) => {
  const baseUrl = provider === "anthropic" ? gateway.url : `${gateway.url}/v1`
  const request = createModelRequest({ spec: modelSpec({ provider, model, baseUrl }), apiKey: gateway.key })
  const { respond } = createModelProviders()[provider]
  return respond(request).catch((error: unknown) => classifyModelError(error, request))
}

describeWith([litellm], "a LiteLLM proxy with mock answers", () => {
  beforeAll(async () => {
    const examples = await Promise.all(["Amazon Bedrock", "Google Vertex AI"].map(examplesOf))
    gateway = await startLiteLlm({
      ...Object.fromEntries(examples.map(({ name, params }) => [name, { ...params, mock_response: answer }])),
      ...Object.fromEntries(Object.entries(failing).map(([name, mock]) => [name, mocked(mock)])),
    })
  })
  afterEach(async () => {
    await harness?.close()
    harness = undefined
  })
  afterAll(() => gateway[Symbol.asyncDispose]())

  it.each(failures)("reports %s over %s as a failure of a known kind: %s", async (name, provider, kind) => {
    expect(await ask(provider, name)).toMatchObject({ kind })
  })

  it.each(["Amazon Bedrock", "Google Vertex AI"])(
    "answers a run that is configured as documented: %s",
    async (heading) => {
      const { config } = await examplesOf(heading)
      const here = JSON.stringify(config).replaceAll("http://127.0.0.1:4000", gateway.url)
      const ownConfig: ConfigInput = JSON.parse(here)
      harness = await openHarness({ model: createFakeTurns(), env: { GATEWAY_KEY: gateway.key }, config: ownConfig })
      const id = await harness.start()
      expect(await harness.client.wait(id)).toMatchObject({
        outcome: "completed",
        final_message: answer,
        steps_taken: 1,
      })
    },
  )
})

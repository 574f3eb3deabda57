import { expect, it, vi } from "vitest"
import { createModelRequest, modelSpec } from "../../helpers/providers/model-request.ts"
import { writeScript } from "../../helpers/providers/write-script.ts"

const loaded = vi.hoisted((): string[] => [])
for (const sdk of ["openai", "@anthropic-ai/sdk", "undici"])
  vi.doMock(sdk, async (load) => {
    loaded.push(sdk)
    return load()
  })

it("a scripted run loads no SDK, and a provider's SDK is loaded at its first call", async () => {
  // Another file of this worker may have loaded them.
  vi.resetModules()
  const { createModelProviders } = await import("../../../models/model-registry.ts")
  const providers = createModelProviders()
  await using script = await writeScript("turns: [{ reply: { text: hi } }]")
  await providers.scripted.respond(
    createModelRequest({ spec: modelSpec({ provider: "scripted", script: script.file }) }),
  )
  expect(loaded).toEqual([])
  await expect(providers.anthropic.respond(createModelRequest({ apiKey: undefined }))).rejects.toThrow(
    "ANTHROPIC_API_KEY",
  )
  expect(loaded).toContain("@anthropic-ai/sdk")
  expect(loaded).not.toContain("openai")
})

it("names the provider that summarises a conversation itself, without loading it", async () => {
  const { createModelProviders } = await import("../../../models/model-registry.ts")
  const compacting = Object.entries(createModelProviders()).filter(([, { compacts }]) => compacts === true)
  expect(compacting.map(([name]) => name)).toEqual(["anthropic"])
})

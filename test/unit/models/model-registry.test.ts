import { expect, it, vi } from "vitest"
import { startFakeProvider } from "../../helpers/providers/fake-provider-server.ts"
import {
  createAssistantMessage,
  createModelRequest,
  createToolResult,
  createUserMessage,
  modelSpec,
} from "../../helpers/providers/model-request.ts"
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

it("sends well-formed texts only, from wherever they came", async () => {
  const { createModelProviders } = await import("../../../models/model-registry.ts")
  const half = "before \ud83d after"
  const tools = [{ name: "Read", description: half, inputSchema: { properties: { a: { description: half } } } }]
  const messages = [
    createUserMessage(half),
    createAssistantMessage([
      { type: "text", text: half },
      { type: "tool_call", call: { id: "c", name: "Read", arguments: { [half]: [half] } } },
    ]),
    createToolResult("c", half),
  ]
  for (const provider of ["anthropic", "openai", "openai-compatible"] as const) {
    await using server = await startFakeProvider([{ kind: "http", status: 400, body: {} }])
    const spec = modelSpec({ provider, baseUrl: server.url })
    const request = createModelRequest({ spec, systemPrompt: half, messages, tools })
    const providers = createModelProviders()
    await providers[provider].respond(request).catch(() => undefined)
    const sent = JSON.stringify(server.requests[0]?.body)
    expect(sent).not.toMatch(/\\ud[89a-f]/i)
    expect(sent.split("before \ufffd after")).toHaveLength(9)
  }
})

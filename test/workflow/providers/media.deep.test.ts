import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import type { ConfigInput } from "../../../contracts/config/config.ts"
import { fetchHistories } from "../../helpers/engine/replay.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"
import { sessionWorkflowId } from "../../../domain/engine/engine-names.ts"
import { createTestServerConfig } from "../../helpers/mcp/server-config.ts"
import { createPng } from "../../helpers/media-files.ts"
import { createFakeTurns } from "../../helpers/models/fake-model.ts"
import {
  createAnthropicAnswer,
  createAnthropicError,
  createAnthropicText,
} from "../../helpers/providers/anthropic-wire.ts"
import { type FakeProvider, type FakeReplies, startFakeProvider } from "../../helpers/providers/fake-provider-server.ts"
import {
  createOpenAiAnswer,
  createOpenAiCall,
  createOpenAiMessage,
} from "../../helpers/providers/openai-responses-wire.ts"

let harness: Harness
let server: FakeProvider
afterEach(async () => {
  await harness.close()
  await server.close()
})

const actor = { by: "mia", via: "cli" }
const picture = createPng(80, 60)
const base64 = picture.toString("base64")
/** Long enough to be of no other file. */
const inBase64 = base64.slice(0, 40)
const line = `[chart.png: PNG image, 80x60 pixels, ${picture.length} bytes]`

const readChart = createAnthropicAnswer([
  { type: "tool_use", id: "toolu_1", name: "Read", pieces: ['{"file_path":"chart.png"}'] },
])

const open = async (replies: FakeReplies, models: (url: string) => ConfigInput["models"], config: ConfigInput = {}) => {
  server = await startFakeProvider(replies)
  const price = { inputPerMTok: 1, outputPerMTok: 10 }
  harness = await openHarness({
    model: createFakeTurns({ calls: [["Read", { file_path: "chart.png" }]] }, { text: "Described." }),
    env: { ANTHROPIC_API_KEY: "sk-test-never-shown", OPENAI_API_KEY: "sk-test-never-shown" },
    config: {
      models: models(server.url),
      prices: { "claude-fake": price, "gpt-5-fake": price, "m-1": price },
      timing: { modelAttempts: 2 },
      ...config,
    },
  })
  writeFileSync(join(harness.cwd, "chart.png"), picture)
}

const anthropic = (url: string): ConfigInput["models"] => ({
  main: { provider: "anthropic", model: "claude-fake", baseUrl: url },
})

const sent = (): readonly string[] =>
  server.requests.map(({ body }) => JSON.stringify(body["messages"] ?? body["input"]))
const countOf = (text: string | undefined, part: string): number => (text ?? "").split(part).length - 1
const resultsOf = async (id: string) =>
  (await harness.client.messages(id)).flatMap(({ message }) => (message.role === "tool" ? [message] : []))

/** Returns the payloads of a history as text. */
const payloadsOf = (value: unknown): readonly string[] => {
  if (value instanceof Uint8Array) return [Buffer.from(value).toString("utf8")]
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(payloadsOf) : []
}

/** Returns what the engine, the event log and the transcript contain of a session. */
const recordOf = async (id: string): Promise<string> => {
  const histories = payloadsOf(await fetchHistories(harness.temporal, [sessionWorkflowId(id)]))
  const { events } = await harness.store.events.read(id, { after: 0, limit: 10_000 })
  return [...histories, JSON.stringify([events, await harness.client.messages(id)])].join("\n")
}

describe("an image that Read returns", () => {
  it("is sent with every later request, unchanged, and is nowhere else but in the store", async () => {
    await open([readChart, createAnthropicText("A chart."), createAnthropicText("Still a chart.")], anthropic)
    const id = await harness.start({ prompt: "Look at chart.png." })
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed", final_message: "A chart." })
    const reference = { type: "media", media_type: "image/png", bytes: picture.length, width: 80, height: 60 }
    expect(await resultsOf(id)).toMatchObject([{ outcome: "ok", content: line, media: [reference] }])
    await harness.client.send({ sessionId: id, text: "And now?", type: "message", actor })
    expect(await harness.client.wait(id)).toMatchObject({ final_message: "Still a chart." })

    const [first, second, third] = sent()
    expect(countOf(first, inBase64)).toBe(0)
    const block = JSON.stringify({ type: "image", source: { type: "base64", media_type: "image/png", data: base64 } })
    expect(countOf(second, block)).toBe(1)
    // Marks for the cache move; what is cached stays the same.
    const cached = (text = "") => text.replaceAll(',"cache_control":{"type":"ephemeral"}', "").slice(0, -1)
    expect(cached(third).startsWith(cached(second))).toBe(true)
    const record = await recordOf(id)
    expect(record).toContain("Look at chart.png.")
    expect(record).not.toContain(inBase64)
  })

  it("is in a fork, too, and is erased with its own session only", async () => {
    await open([readChart, createAnthropicText("A chart.")], anthropic)
    const id = await harness.start({ prompt: "Look at chart.png." })
    await harness.client.wait(id)
    const [result] = await resultsOf(id)
    const mediaId = result?.media?.[0]?.id ?? ""
    const fork = await harness.client.fork({ sessionId: id, atStep: 1, actor })
    await harness.client.delete(id, actor)
    expect(await harness.store.media.read(id, [mediaId])).toEqual([])
    await harness.client.send({ sessionId: fork.id, text: "Look again.", type: "message", actor })
    await harness.client.wait(fork.id)
    expect(countOf(sent().at(-1), base64)).toBe(1)
  })

  it("is left out of the session for good, if the provider refuses it", async () => {
    const refusal = createAnthropicError(400, { type: "invalid_request_error", message: "Could not process image" })
    await open((request) => {
      const text = JSON.stringify(request.body)
      if (text.includes(inBase64)) return refusal
      return text.includes("toolu_1") ? createAnthropicText("I cannot see it.") : readChart
    }, anthropic)
    const id = await harness.start({ prompt: "Look at chart.png." })
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed", final_message: "I cannot see it." })
    expect(sent().map((text) => countOf(text, inBase64))).toEqual([0, 1, 0])
    expect(sent().at(-1)).toContain("[The PNG image is not shown: the model's provider did not accept it.]")
    await harness.client.send({ sessionId: id, text: "And now?", type: "message", actor })
    await harness.client.wait(id)
    expect(sent().map((text) => countOf(text, inBase64))).toEqual([0, 1, 0, 0])
  })

  it("becomes a text for a model that takes none, also for one that takes over in mid-run", async () => {
    await open(
      (request) => {
        if (!request.path.endsWith("/messages")) return createOpenAiAnswer([createOpenAiMessage("msg_1", "No chart.")])
        return JSON.stringify(request.body).includes("toolu_1")
          ? createAnthropicError(529, { type: "overloaded_error", message: "overloaded" })
          : readChart
      },
      (url) => ({
        main: { provider: "anthropic", model: "claude-fake", baseUrl: url, fallback: ["other"] },
        other: { provider: "openai", model: "gpt-5-fake", baseUrl: `${url}/v1`, input: ["text"] },
      }),
    )
    const id = await harness.start({ prompt: "Look at chart.png." })
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed", final_message: "No chart." })
    const last = sent().at(-1) ?? ""
    expect(countOf(last, inBase64)).toBe(0)
    expect(last).toContain(`${line}\\n[The PNG image is not shown: the model in use does not accept images.]`)
  })
})

describe("an image that a tool of an MCP server returns", () => {
  it("is sent to a model of OpenAI, with a text about the rest", async () => {
    await open(
      [
        createOpenAiAnswer([createOpenAiCall("fc_1", "call_1", { name: "mcp__docs__picture", args: "{}" })]),
        createOpenAiAnswer([createOpenAiMessage("msg_1", "A picture.")]),
      ],
      (url) => ({ main: { provider: "openai", model: "gpt-5-fake", baseUrl: `${url}/v1` } }),
      { mcpServers: { docs: createTestServerConfig() } },
    )
    const id = await harness.start({ prompt: "Fetch the picture." })
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed", final_message: "A picture." })
    const [result] = await resultsOf(id)
    expect(result?.media?.map(({ media_type }) => media_type)).toEqual(["image/png", "application/pdf"])
    expect(result?.content).toMatch(/^a picture, a document and others\n/)
    expect(result?.content).toMatch(
      /\n\[PNG image, 8x6 pixels, \d+ bytes\]\n\[test:\/\/paper: PDF, 2 pages, \d+ bytes\]\n/,
    )
    expect(result?.content).toMatch(/\n\[not shown: it is not a PNG, JPEG, GIF or WebP image or a PDF\]$/)
    const last = sent().at(-1)
    expect(countOf(last, `"image_url":"data:image/png;base64,${createPng(8, 6).toString("base64")}"`)).toBe(1)
    expect(countOf(last, '"file_data":"data:application/pdf;base64,')).toBe(1)
    expect(await recordOf(id)).not.toContain(createPng(8, 6).toString("base64"))
  })
})

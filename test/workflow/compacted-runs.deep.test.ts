import { afterEach, describe, expect, it } from "vitest"
import { z } from "zod"
import type { ConfigInput } from "../../contracts/config/config.ts"
import type { Message } from "../../contracts/message.ts"
import { ModelError } from "../../models/model-error.ts"
import type { ModelRequest } from "../../models/model-provider.ts"
import type { Store } from "../../store/store.ts"
import type { Tool } from "../../tools/tool.ts"
import { type Harness, openHarness } from "../helpers/engine/workflow-harness.ts"
import type { FakeReply } from "../helpers/models/fake-model.ts"
import { createWindowedModel, type WindowedModel } from "../helpers/models/windowed-model.ts"
import { createAwayStore } from "../helpers/store/away-store.ts"

let harness: Harness
afterEach(() => harness.close())

const actor = { by: "mia", via: "cli" }
const windowTokens = 16_000
const scripted = { provider: "scripted", script: "unused.yaml", maxOutputTokens: 1_000 } as const
const known = { ...scripted, contextTokens: windowTokens }
const prompt = "Look at every place, and remember the word heron."

const look: Tool = {
  name: "Look",
  description: "Looks at a place.",
  input: z.strictObject({ at: z.number() }),
  readOnly: true,
  idempotent: true,
  execute: async (input) => {
    const { at } = z.object({ at: z.number() }).parse(input)
    return { content: `place ${at}: ${"no herons here ".repeat(400)}` }
  },
}

const lookThen =
  (steps: number) =>
  (_: ModelRequest, turn: number): FakeReply =>
    turn % steps === 0 ? { text: `Done after ${turn}.` } : { calls: [["Look", { at: turn }]] }

const open = async (
  windowed: WindowedModel,
  options: {
    readonly models?: ConfigInput["models"]
    readonly config?: ConfigInput
    readonly workerStore?: (store: Store) => Store
  } = {},
): Promise<void> => {
  harness = await openHarness({
    model: windowed.model,
    tools: [look],
    ...(options.workerStore === undefined ? {} : { workerStore: options.workerStore }),
    config: { models: options.models ?? { main: known, light: known }, ...options.config },
  })
}

const eventsOf = async (id: string, type: string) =>
  (await harness.store.events.read(id, { after: 0, limit: 10_000 })).events.filter((event) => event.type === type)
const rowsOf = async (id: string): Promise<readonly Message[]> =>
  (await harness.client.messages(id)).map(({ message }) => message)
const compactionsOf = (rows: readonly Message[]) =>
  rows.flatMap((row) => (row.role === "user" && row.compaction !== undefined ? [row] : []))

describe("a conversation that does not fit into the model's context", () => {
  it("is shortened before the call, and stays complete in the transcript", async () => {
    const windowed = createWindowedModel({ windowTokens, respond: lookThen(40) })
    await open(windowed)
    const id = await harness.start({ prompt, allowed_tools: ["Look"], max_steps: 60 })
    const document = await harness.client.wait(id)
    expect(document).toMatchObject({ outcome: "completed", final_message: "Done after 40.", steps_taken: 40 })
    expect(windowed.refused).toBe(0)

    const rows = await rowsOf(id)
    const compactions = compactionsOf(rows)
    expect(compactions.map(({ compaction }) => compaction?.kind)).toEqual(
      expect.arrayContaining(["results", "summary"]),
    )
    const results = rows.flatMap((row) => (row.role === "tool" ? [row.content] : []))
    expect(results).toHaveLength(39)
    for (const [index, content] of results.entries()) expect(content).toContain(`place ${index + 1}: no herons`)

    for (const request of windowed.turns) expect(JSON.stringify(request.messages)).toContain("the word heron")
    const events = await eventsOf(id, "context-compacted")
    expect(events).toHaveLength(compactions.length)
    for (const event of events) expect(Number(event["tokens_after"])).toBeLessThan(Number(event["tokens_before"]))
    expect(await eventsOf(id, "step-started")).toHaveLength(40)
    expect((await harness.client.info(id)).runs).toMatchObject([{ compactions: compactions.length }])
    const asked = [...windowed.turns, ...windowed.summaries]
    expect(windowed.summaries.length).toBeGreaterThan(0)
    expect(document).toMatchObject({ usage: { output_tokens: 20 * asked.length } })
  })

  it("is shortened when the provider refuses it, if the size of the context is not known", async () => {
    const windowed = createWindowedModel({ windowTokens, respond: lookThen(25) })
    await open(windowed, { models: { main: scripted, light: scripted } })
    const id = await harness.start({ prompt, allowed_tools: ["Look"], max_steps: 25 })
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed", final_message: "Done after 25." })
    expect(windowed.refused).toBeGreaterThan(0)
    for (const request of windowed.turns) expect(JSON.stringify(request.messages)).toContain("the word heron")
  })

  it("keeps its summary in later runs and in forks, and a fork from before it has the whole conversation", async () => {
    const windowed = createWindowedModel({ windowTokens, respond: lookThen(20) })
    await open(windowed, { config: { timing: { continueAsNewAfterEvents: 80 } } })
    const id = await harness.start({ prompt, allowed_tools: ["Look"], max_steps: 20 })
    await harness.client.wait(id)
    await harness.client.send({ sessionId: id, text: "Continue, and remember otter.", type: "message", actor })
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed", final_message: "Done after 40." })
    for (const request of windowed.turns.slice(20))
      expect(JSON.stringify(request.messages)).toMatch(/word heron.*remember otter/su)

    const summaries = windowed.summaries.length
    const later = await harness.client.fork({ sessionId: id, atStep: 39, actor })
    await harness.client.send({ sessionId: later.id, text: "Again.", type: "message", actor })
    await harness.client.wait(later.id)
    expect(compactionsOf(windowed.turns.at(-1)?.messages ?? [])).toHaveLength(1)
    expect(JSON.stringify(windowed.turns.at(-1)?.messages)).toContain("the word heron")
    expect(windowed.summaries.length - summaries).toBeLessThanOrEqual(1)

    const early = await harness.client.fork({ sessionId: id, atStep: 2, actor })
    await harness.client.send({ sessionId: early.id, text: "Again.", type: "message", actor })
    await harness.client.wait(early.id)
    const first = windowed.turns.find(({ cacheKey }) => cacheKey === early.id)
    expect(first?.messages).toHaveLength(6)
    expect(compactionsOf(first?.messages ?? [])).toEqual([])
  })

  it("pays for a summary once if the store is away when it is written", async () => {
    const windowed = createWindowedModel({ windowTokens, respond: lookThen(40) })
    let failures = 3
    await open(windowed, {
      workerStore: (store) =>
        createAwayStore(store, ({ activity, method }) => {
          if (activity !== "compact" || method !== "transaction" || windowed.summaries.length !== 1) return undefined
          failures -= 1
          return failures < 0 ? undefined : failures % 2 === 0 ? "after" : "before"
        }),
    })
    const id = await harness.start({ prompt, allowed_tools: ["Look"], max_steps: 40 })
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed" })
    expect(failures).toBeLessThan(0)
    const summaries = compactionsOf(await rowsOf(id)).filter(({ compaction }) => compaction?.kind === "summary")
    expect(summaries).toHaveLength(windowed.summaries.length)
    expect(await eventsOf(id, "context-compacted")).toHaveLength(compactionsOf(await rowsOf(id)).length)
  })

  it("ends its run with the budget if that does not cover the summary", async () => {
    const windowed = createWindowedModel({ windowTokens, respond: lookThen(40) })
    await open(windowed, {
      models: { main: known, light: { ...known, model: "dear" } },
      config: { prices: { dear: { inputPerMTok: 100_000, outputPerMTok: 100_000 } } },
    })
    const id = await harness.start({ prompt, allowed_tools: ["Look"], max_steps: 40, budget_usd: 10 })
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "failed", stop_reason: "budget" })
    expect(windowed.summaries).toEqual([])
  })

  it("is summarised by the run's own model if that for summaries fails for a reason of its own", async () => {
    const asked: (string | undefined)[] = []
    const windowed = createWindowedModel({
      windowTokens,
      respond: lookThen(40),
      summarise: ({ spec }) => {
        asked.push(spec.model)
        if (spec.model === "gone") throw new ModelError("not_found", "there is no model gone")
        return "Nothing was found."
      },
    })
    await open(windowed, {
      models: { main: known, light: known, brief: { ...known, model: "gone" } },
      config: { compaction: { model: "brief" } },
    })
    const id = await harness.start({ prompt, allowed_tools: ["Look"], max_steps: 40 })
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed" })
    expect(asked.slice(0, 2)).toEqual(["gone", "scripted"])
    const [summary] = compactionsOf(await rowsOf(id)).filter(({ compaction }) => compaction?.kind === "summary")
    expect(summary).toMatchObject({ compaction: { model: "main" }, text: expect.stringContaining("> Nothing was") })
  })

  it("can be cancelled while its summary is written", async () => {
    const started = Promise.withResolvers<void>()
    const windowed = createWindowedModel({
      windowTokens,
      respond: lookThen(40),
      summarise: ({ signal }) =>
        new Promise<string>((_, reject) => {
          signal.addEventListener("abort", () => reject(new Error("aborted")))
          started.resolve()
        }),
    })
    await open(windowed)
    const id = await harness.start({ prompt, allowed_tools: ["Look"], max_steps: 40 })
    await started.promise
    expect(await harness.client.cancel(id, actor)).toEqual({ status: "cancelled" })
    const rows = await rowsOf(id)
    expect(compactionsOf(rows).filter(({ compaction }) => compaction?.kind === "summary")).toEqual([])
  })

  it.each([
    { name: "compaction is off", config: { compaction: { enabled: false } }, text: prompt, tools: ["Look"] },
    { name: "the instruction alone is too long", config: {}, text: "long ".repeat(20_000), tools: ["Look"] },
  ])("fails with context_exceeded and says what to do if $name", async ({ config, text, tools }) => {
    const windowed = createWindowedModel({ windowTokens, respond: lookThen(40) })
    await open(windowed, { config })
    const id = await harness.start({ prompt: text, allowed_tools: tools, max_steps: 40 })
    expect(await harness.client.wait(id)).toMatchObject({
      outcome: "failed",
      stop_reason: "error",
      error: { code: "context_exceeded" },
    })
    expect(windowed.refused).toBeLessThanOrEqual(2)
  })

  it("continues an answer that the end of the context cut off", async () => {
    const windowed = createWindowedModel({
      windowTokens,
      respond: (request, turn) =>
        turn === 3
          ? { text: "The first half, ", stop: "context_exceeded" }
          : turn === 4
            ? { text: "and the second." }
            : lookThen(40)(request, turn),
    })
    await open(windowed)
    const id = await harness.start({ prompt, allowed_tools: ["Look"], max_steps: 40 })
    expect(await harness.client.wait(id)).toMatchObject({
      outcome: "completed",
      final_message: "The first half, and the second.",
    })
  })
})

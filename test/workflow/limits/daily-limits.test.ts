import { afterEach, describe, expect, it } from "vitest"
import type { ConfigInput } from "../../../contracts/config/config.ts"
import type { ModelProvider } from "../../../models/model-provider.ts"
import { untilPasses } from "../../helpers/eventually.ts"
import { createFakeModel } from "../../helpers/models/fake-model.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"

let harness: Harness
const hourMs = 3_600_000
/** The store's clock begins at 22:00 UTC. */
let aheadMs = Date.parse("2026-11-26T22:00:00Z") - Date.now()
const actor = { by: "mia", via: "cli" } as const

const open = async (limits: ConfigInput["limits"], model: ModelProvider, maxOutputTokens = 1_000): Promise<Harness> => {
  const config: ConfigInput = {
    models: { main: { provider: "scripted", script: "unused.yaml", maxOutputTokens } },
    limits,
  }
  harness = await openHarness({ config, model, now: () => Date.now() + aheadMs })
  return harness
}
afterEach(() => harness.close())

const eventsOf = async (sessionId: string, type: string) =>
  (await harness.store.events.read(sessionId, { after: 0, limit: 1_000 })).events.filter((event) => event.type === type)

const answers = (outputTokens: number): ModelProvider => createFakeModel(() => ({ text: "Done.", outputTokens }))

describe("a daily limit of the store", () => {
  it("warns at 80 %, ends the next run with its transcript, and lets it continue the next day", async () => {
    const { client, start, store } = await open({ tokensPerDay: 1_000_000 }, answers(780_000))
    const first = await start()
    expect(await client.wait(first)).toMatchObject({ outcome: "completed" })
    expect(await eventsOf(first, "limit-approached")).toEqual([])

    const second = await start()
    expect(await client.wait(second)).toMatchObject({ outcome: "completed" })
    expect(await eventsOf(second, "limit-approached")).toMatchObject([
      { limit: "tokensPerDay", day: "2026-11-26", cap: 1_000_000, used: 780_010 },
    ])

    const third = await start({ prompt: "Do not lose me." })
    expect(await client.wait(third)).toMatchObject({
      outcome: "failed",
      stop_reason: "budget",
      error: {
        code: "budget",
        message: expect.stringMatching(/limits\.tokensPerDay is 1000000 tokens.*continue after/u),
      },
      usage: { output_tokens: 0 },
    })
    expect((await client.messages(third)).map(({ message }) => "text" in message && message.text)).toEqual([
      "Do not lose me.",
    ])
    expect(await store.dailyUsage.today()).toMatchObject({ reserved: { tokens: 0 } })

    aheadMs += 3 * hourMs
    await client.send({ sessionId: third, text: "Continue.", type: "message", actor })
    expect(await client.wait(third)).toMatchObject({ outcome: "completed", final_message: "Done." })
  })

  it("lets a run wait for what the calls of others have reserved, and never exceeds the limit", async () => {
    const answer = Promise.withResolvers<void>()
    const model = createFakeModel(async ({ messages }) => {
      if (JSON.stringify(messages).includes("Be slow.")) await answer.promise
      return { text: "Done.", outputTokens: 10 }
    })
    const { client, start, store } = await open({ tokensPerDay: 180_000 }, model, 100_000)
    const slow = await start({ prompt: "Be slow." })
    await untilPasses(async () => expect((await store.dailyUsage.today()).reserved.tokens).toBeGreaterThan(0))
    const other = await start({ prompt: "Be quick." })
    await untilPasses(async () =>
      expect((await client.info(other)).blocked_by[0]).toMatchObject({
        type: "daily_limit",
        reason: expect.stringMatching(/reserved by calls that run now/),
      }),
    )
    answer.resolve()
    expect(await client.wait(slow)).toMatchObject({ outcome: "completed" })
    expect(await client.wait(other)).toMatchObject({ outcome: "completed", final_message: "Done." })
    expect((await client.info(other)).blocked_by).toEqual([])
  })

  it("refuses the calls of a caller that has used what its own limit allows", async () => {
    const { client, start } = await open({ callers: { local: { tokensPerDay: 1_000_000 } } }, answers(990_000))
    expect(await client.wait(await start())).toMatchObject({ outcome: "completed" })
    expect(await client.wait(await start())).toMatchObject({
      outcome: "failed",
      stop_reason: "budget",
      error: { message: expect.stringMatching(/limits\.callers\["local"\]\.tokensPerDay is 1000000 tokens/u) },
    })
    const { items, total } = await client.usage({ groupBy: ["caller"] })
    expect(items).toMatchObject([{ caller: "local", calls: 1 }])
    expect(total).toMatchObject({ output_tokens: 990_000 })
  })

  it("pauses a run that waits for input instead of ending it", async () => {
    const { client, start } = await open({ tokensPerDay: 10 }, answers(1))
    const id = await start({ pause_on_approval: true, auto_approve: false })
    expect(await client.wait(id)).toMatchObject({
      outcome: "paused",
      pause_reason: { type: "input_required" },
      agent_message: expect.stringContaining("limits.tokensPerDay"),
    })
    await client.cancel(id, actor)
  })

  it("keeps nothing reserved for a call that failed", async () => {
    const failing = createFakeModel(() => Promise.reject(new Error("no such wire")))
    const { client, start, store } = await open({ tokensPerDay: 1_000_000 }, failing)
    const id = await start()
    expect(await client.wait(id)).toMatchObject({ outcome: "failed" })
    expect(await store.dailyUsage.today()).toMatchObject({ used: { tokens: 0 }, reserved: { tokens: 0 } })
  })
})

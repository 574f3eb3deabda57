import { afterEach, describe, expect, it } from "vitest"
import type { ConfigInput } from "../../../contracts/config/config.ts"
import { providerKeyOf } from "../../../domain/limits/provider/provider-key.ts"
import type { ProviderLimits } from "../../../domain/limits/provider/provider-limits.ts"
import { ModelError } from "../../../models/model-error.ts"
import { openTimersOf } from "../../helpers/engine/open-timers.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"
import { eventually } from "../../helpers/eventually.ts"
import { createFakeModel, type FakeReply } from "../../helpers/models/fake-model.ts"

let harness: Harness
afterEach(() => harness.close())

const actor = { by: "mia", via: "cli" }
const look: FakeReply = { calls: [["LS", {}]] }

/** Opens a provider with limits that the test can change; `respond` is called for each request that it gets. */
const open = async (
  limits: ProviderLimits,
  respond: (turn: number) => FakeReply = () => ({ text: "Done." }),
  config: ConfigInput = {},
) => {
  const byKey = new Map<string, ProviderLimits>()
  harness = await openHarness({
    config,
    providerLimits: () => byKey,
    model: createFakeModel((_, turn) => respond(turn)),
  })
  const { main } = harness.loaded.models
  if (main === undefined) throw new Error("there is no model")
  const set = (changed: ProviderLimits): void => void byKey.set(providerKeyOf(main), changed)
  set(limits)
  return { set }
}

const blockedBy = async (id: string) => (await harness.client.info(id)).blocked_by
const untilLimited = (id: string) => eventually(async () => (await blockedBy(id))?.type === "rate_limit")
const stepsOf = async (id: string) =>
  (await harness.store.events.read(id, { after: 0, limit: 1_000 })).events.filter(({ type }) => type === "step-started")

/** Starts a session that uses up what many minutes allow, and another one that has to wait. */
const startLimited = async (request: { readonly timeoutSeconds?: number } = {}): Promise<string> => {
  await harness.client.wait(await harness.start())
  const id = await harness.start(request)
  await untilLimited(id)
  return id
}

describe("a run whose provider's limits allow its next call later", () => {
  it("shows the wait, and takes the step once when its time has come or a message steers it", async () => {
    const { set } = await open({ tokensPerMinute: 1 })
    const id = await startLimited()
    const { status, steps_taken, blocked_by } = await harness.client.info(id)
    expect({ status, steps_taken, blocked_by }).toEqual({
      status: "running",
      steps_taken: 0,
      blocked_by: { type: "rate_limit", since: expect.any(String), next_at: expect.any(String) },
    })
    set({ requestsPerMinute: 60_000 })
    await harness.client.send({ sessionId: id, text: "Be brief.", type: "steering", actor })
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed", steps_taken: 1 })
    expect(await blockedBy(id)).toBeNull()
    expect(await stepsOf(id)).toHaveLength(1)
    const rows = await harness.client.messages(id)
    expect(rows.map(({ message }) => message.role)).toEqual(["user", "user", "assistant"])
  })

  it("waits with one timer, which is not that of its time limit", async () => {
    await open({ tokensPerMinute: 1 })
    const id = await startLimited({ timeoutSeconds: 300 })
    await eventually(async () => {
      const [wait = 0, ...others] = await openTimersOf(harness.handle(id))
      return wait > 0 && wait <= 60 && others.length === 0
    })
  })

  it("leaves the whole limit of the day to other runs", async () => {
    const day = { tokensPerDay: 1_000_000_000 }
    await open({ tokensPerMinute: 1 }, undefined, { limits: day })
    const id = await startLimited()
    expect(await harness.store.dailyUsage.today()).toMatchObject({ reserved: { tokens: 0 } })
    await harness.client.cancel(id, actor)
  })

  it("gives its place to others when the day's limit refuses its call", async () => {
    await open({ concurrent: 1 }, undefined, { limits: { tokensPerDay: 1 } })
    const id = await harness.start({ pauseOnText: true, approval: "policy" })
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "paused" })
    const other = await harness.start()
    expect(await harness.client.wait(other)).toMatchObject({ outcome: "failed", stop_reason: "budget" })
    await harness.client.cancel(id, actor)
  })

  it("can be cancelled", async () => {
    await open({ tokensPerMinute: 1 })
    const id = await startLimited()
    expect(await harness.client.cancel(id, actor)).toEqual({ status: "cancelled" })
    expect(await blockedBy(id)).toBeNull()
  })

  it("continues at once on a model with another key", async () => {
    harness = await openHarness({
      config: {
        models: {
          main: { provider: "scripted", script: "unused.yaml", limits: { tokensPerMinute: 1 } },
          other: { provider: "scripted", script: "./other/unused.yaml" },
        },
      },
      model: createFakeModel(() => ({ text: "Done." })),
    })
    const id = await startLimited()
    await harness.client.setModel(id, "other", actor)
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed", steps_taken: 1 })
  })
})

describe("many agents on a provider that refuses calls above its rate", () => {
  it("send little more than what they need", async () => {
    const perSecond = 4
    const agents = 16
    const steps = 2
    // Calls can arrive at the provider closer together than they were reserved.
    const burst = 2 * perSecond
    let level: number = burst
    let atMs = performance.now()
    let calls = 0
    const provider = (turn: number): FakeReply => {
      calls += 1
      const nowMs = performance.now()
      level = Math.min(burst, level + ((nowMs - atMs) / 1_000) * perSecond)
      atMs = nowMs
      if (level < 1) throw new ModelError("retry", "the provider answered 429: too many requests", { status: 429 })
      level -= 1
      return turn < steps ? look : { text: "Done." }
    }
    await open({ requestsPerMinute: perSecond * 60 }, provider)
    const ids = await Promise.all(Array.from({ length: agents }, () => harness.start()))
    for (const id of ids) expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed" })
    expect(calls / (agents * steps)).toBeLessThanOrEqual(1.1)
  })
})

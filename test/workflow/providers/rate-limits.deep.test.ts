import { afterEach, describe, expect, it } from "vitest"
import { thisMachine } from "../../../engine/workers/machine.ts"
import { providerKeyOf } from "../../../domain/limits/provider/provider-key.ts"
import type { ProviderLimits } from "../../../domain/limits/provider/provider-limits.ts"
import { ModelError } from "../../../models/model-error.ts"
import { openStore } from "../../../store/open-store.ts"
import type { Store } from "../../../store/store.ts"
import { openTimersOf } from "../../helpers/engine/open-timers.ts"
import { type Harness, type HarnessOptions, openHarness } from "../../helpers/engine/workflow-harness.ts"
import { eventually } from "../../helpers/eventually.ts"
import { createFakeModel, type FakeReply } from "../../helpers/models/fake-model.ts"
import { createHeldModel } from "../../helpers/models/held-model.ts"
import { wrapStore } from "../../helpers/store/wrap-store.ts"

let harness: Harness
afterEach(() => harness.close())

const actor = { by: "mia", via: "cli" }
const look: FakeReply = { calls: [["LS", {}]] }

/** Opens a provider with limits that the test can change; `respond` is called for each request that it gets. */
const open = async (
  limits: ProviderLimits | undefined,
  respond: (turn: number) => FakeReply = () => ({ text: "Done." }),
  options: Pick<HarnessOptions, "config" | "now" | "workerStore"> = {},
) => {
  const byKey = new Map<string, ProviderLimits>()
  harness = await openHarness({
    ...options,
    providerLimits: () => byKey,
    model: createFakeModel((_, turn) => respond(turn)),
  })
  const { main } = harness.loaded.models
  if (main === undefined) throw new Error("there is no model")
  const set = (changed: ProviderLimits): void => void byKey.set(providerKeyOf(main), changed)
  if (limits !== undefined) set(limits)
  return { set }
}

const blockedBy = async (id: string) => (await harness.client.info(id)).blocked_by[0]
const untilLimited = (id: string) => eventually(async () => (await blockedBy(id))?.type === "rate_limit")
const stepsOf = async (id: string) =>
  (await harness.store.events.read(id, { after: 0, limit: 1_000 })).events.filter(({ type }) => type === "step-started")

/** Starts a session that uses up what many minutes allow, and another one that has to wait. */
const startLimited = async (request: { readonly timeout_seconds?: number } = {}): Promise<string> => {
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
      blocked_by: [
        { type: "rate_limit", since: expect.any(String), reason: expect.any(String), next_at: expect.any(String) },
      ],
    })
    set({ requestsPerMinute: 60_000 })
    await harness.client.send({ sessionId: id, text: "Be brief.", type: "steering", actor })
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed", steps_taken: 1 })
    expect(await blockedBy(id)).toBeUndefined()
    expect(await stepsOf(id)).toHaveLength(1)
    const rows = await harness.client.messages(id)
    expect(rows.map(({ message }) => message.role)).toEqual(["user", "user", "assistant"])
  })

  it("waits with one timer, which is not that of its time limit", async () => {
    await open({ tokensPerMinute: 1 })
    const id = await startLimited({ timeout_seconds: 300 })
    await eventually(async () => {
      const [wait = 0, ...others] = await openTimersOf(harness.handle(id))
      return wait > 0 && wait <= 60 && others.length === 0
    })
  })

  it("leaves the whole limit of the day to other runs", async () => {
    const day = { tokensPerDay: 1_000_000_000 }
    await open({ tokensPerMinute: 1 }, undefined, { config: { limits: day } })
    const id = await startLimited()
    expect(await harness.store.dailyUsage.today()).toMatchObject({ reserved: { tokens: 0 } })
    await harness.client.cancel(id, actor)
  })

  it("gives its place to others when the day's limit refuses its call", async () => {
    await open({ concurrent: 1 }, undefined, { config: { limits: { tokensPerDay: 1 } } })
    const id = await harness.start({ pause_on_approval: true, auto_approve: false })
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "paused" })
    const other = await harness.start()
    expect(await harness.client.wait(other)).toMatchObject({ outcome: "failed", stop_reason: "budget" })
    await harness.client.cancel(id, actor)
  })

  it("can be cancelled", async () => {
    await open({ tokensPerMinute: 1 })
    const id = await startLimited()
    expect(await harness.client.cancel(id, actor)).toEqual({ status: "cancelled" })
    expect(await blockedBy(id)).toBeUndefined()
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
  const perSecond = 4
  const agents = 8
  const steps = 2

  /** Returns how many calls arrived at the provider, divided by those needed. Time passes only while none of them is under way. */
  const callRatio = async (limits: ProviderLimits | undefined, outcome: "completed" | "failed"): Promise<number> => {
    let nowMs = Date.parse("2026-11-26T09:00:00Z")
    const started = new Set<string>()
    // One more than the limits let start at a time: timers may be early.
    const burst = perSecond + 1
    let level = burst
    let atMs = nowMs
    let calls = 0
    const provider = (turn: number): FakeReply => {
      calls += 1
      level = Math.min(burst, level + ((nowMs - atMs) / 1_000) * perSecond)
      atMs = nowMs
      if (level < 1) throw new ModelError("retry", "the provider answered 429: too many requests", { status: 429 })
      level -= 1
      return turn < steps ? look : { text: "Done." }
    }
    await open(limits, provider, {
      now: () => nowMs,
      workerStore: (store) =>
        wrapStore(store, async (method, [call], proceed) => {
          const answer = (await proceed()) as { readonly isReserved?: boolean } | undefined
          const { sessionId, step } = (call ?? {}) as { readonly sessionId?: string; readonly step?: number }
          const key = `${sessionId} ${step}`
          if (method === "providerCalls.settle" || method === "providerCalls.cancel") started.delete(key)
          if (method === "providerCalls.reserve" && answer?.isReserved === true) started.add(key)
          if (method === "providerCalls.reserve" && answer?.isReserved === false && started.size === 0) nowMs += 250
          return answer
        }),
    })
    const ids = await Promise.all(Array.from({ length: agents }, () => harness.start()))
    const ended = await Promise.all(ids.map(async (id) => (await harness.client.wait(id))?.outcome))
    expect(ended).toContain(outcome)
    expect(ended.includes("failed")).toBe(outcome === "failed")
    return calls / (agents * steps)
  }

  it("send little more than what they need", async () => {
    expect(await callRatio({ requestsPerMinute: perSecond * 60 }, "completed")).toBeLessThanOrEqual(1.1)
  }, 300_000)

  it("would be refused again and again without limits", async () => {
    expect(await callRatio(undefined, "failed")).toBeGreaterThan(1.1)
  }, 300_000)
})

describe("two workers of one store", () => {
  it("share the limits of a provider's key", async () => {
    const held = createHeldModel()
    const limits = new Map<string, ProviderLimits>()
    const stores: Store[] = []
    harness = await openHarness({
      worker: false,
      model: held.provider,
      providerLimits: () => limits,
      workerStore: () => {
        const [store] = stores.splice(0, 1)
        if (store === undefined) throw new Error("each worker has a store of its own")
        return store
      },
    })
    const { main } = harness.loaded.models
    if (main === undefined) throw new Error("there is no model")
    limits.set(providerKeyOf(main), { concurrent: 1 })
    const opened = await Promise.all([1, 2].map(() => openStore({ url: "sqlite:", dataDir: harness.dataDir })))
    stores.push(...opened)
    await harness.startWorker()
    await harness.startWorker({ machine: { ...thisMachine(process.env) } })
    const hosted = await harness.start()
    await eventually(() => held.isWaiting(hosted))
    const other = await harness.start()
    await untilLimited(other)
    expect(held.calls.map(({ sessionId }) => sessionId)).toEqual([hosted])
    held.reply(hosted, { text: "Done." })
    expect(await harness.client.wait(hosted)).toMatchObject({ outcome: "completed" })
    await eventually(() => held.isWaiting(other))
    held.reply(other, { text: "Done." })
    expect(await harness.client.wait(other)).toMatchObject({ outcome: "completed" })
    await harness.stopWorker()
    await Promise.all(opened.map((store) => store.close()))
  })
})

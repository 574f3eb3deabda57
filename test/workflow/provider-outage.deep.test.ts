import { afterEach, describe, expect, it } from "vitest"
import type { ConfigInput } from "../../contracts/config/config.ts"
import { ModelError, type ModelErrorKind } from "../../models/model-error.ts"
import type { ModelRequest } from "../../models/model-provider.ts"
import { treatAsSubAgents } from "../helpers/engine/lane-harness.ts"
import { openTimersOf } from "../helpers/engine/open-timers.ts"
import { type Harness, openHarness } from "../helpers/engine/workflow-harness.ts"
import { eventually } from "../helpers/eventually.ts"
import { createFakeModel, type FakeReply } from "../helpers/models/fake-model.ts"

let harness: Harness
afterEach(() => harness.close())

const actor = { by: "mia", via: "cli" }
const soon = { modelAttempts: 2, providerRetryInitialMs: 50, providerRetryMaxMs: 200, providerPauseSeconds: 86_400 }
const nextDay = { ...soon, providerRetryInitialMs: 86_400_000, providerRetryMaxMs: 86_400_000 }

const scripted = { provider: "scripted", script: "unused.yaml" } as const
const light = { ...scripted, maxOutputTokens: 2_000 }

/** A provider that fails while `isAway` says so. */
const open = async (
  provider: { isAway: (request: ModelRequest, turn: number) => boolean; kind?: ModelErrorKind },
  timing: NonNullable<ConfigInput["timing"]>,
  replies: readonly FakeReply[] = [{ text: "Done." }],
) => {
  harness = await openHarness({
    workerStore: treatAsSubAgents,
    config: { timing, subagents: { maxConcurrent: 1 }, models: { main: scripted, light } },
    model: createFakeModel((request, turn) => {
      if (provider.isAway(request, turn))
        throw new ModelError(provider.kind ?? "retry", "the provider answered 529: overloaded")
      return replies[turn - 1] ?? { text: "Done." }
    }),
  })
}

const blockedBy = async (id: string) => (await harness.client.info(id)).blocked_by[0]
const untilBlocked = (id: string) => eventually(async () => (await blockedBy(id))?.type === "provider_unavailable")
const eventsOf = async (id: string, type: string) =>
  (await harness.store.events.read(id, { after: 0, limit: 1_000 })).events.filter((event) => event.type === type)
const texts = async (id: string) =>
  (await harness.client.messages(id)).flatMap(({ message }) => (message.role === "user" ? [message.text] : []))
const isOf = (prompt: string) => (request: ModelRequest) =>
  request.messages[0]?.role === "user" && request.messages[0].text === prompt

describe("a run whose provider is unavailable", () => {
  it("shows the wait, holds no slot, and continues in the same step when the provider is back", async () => {
    let isDown = true
    await open({ isAway: (request) => isDown && isOf("waits")(request) }, soon)
    const id = await harness.start({ prompt: "waits" })
    await untilBlocked(id)
    expect(await blockedBy(id)).toEqual({
      type: "provider_unavailable",
      since: expect.any(String),
      reason: "the provider answered 529: overloaded",
      next_at: expect.any(String),
    })
    expect((await harness.client.info(id)).status).not.toBe("paused")
    const other = await harness.start({ prompt: "works" })
    expect(await harness.client.wait(other)).toMatchObject({ outcome: "completed" })
    await harness.client.send({ sessionId: id, text: "Be brief.", type: "steering", actor })
    isDown = false
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed", steps_taken: 1 })
    expect(await blockedBy(id)).toBeUndefined()
    expect(await texts(id)).toEqual(["waits", "Be brief."])
    expect(await eventsOf(id, "step-started")).toHaveLength(1)
    const retries = await eventsOf(id, "model-retry")
    expect(retries.length).toBeGreaterThan(1)
    expect(retries.map((event) => event["step"])).toEqual(retries.map(() => 1))
  })

  it("writes the text after the wait as a later attempt than the text before it", async () => {
    let isDown = true
    const isAway = (request: ModelRequest): boolean => {
      if (isDown) request.onDelta({ type: "text", text: "Half an answer" })
      return isDown
    }
    await open({ isAway }, soon)
    const id = await harness.start()
    await untilBlocked(id)
    const attempts = async () => (await eventsOf(id, "text-delta")).map(({ attempt }) => Number(attempt))
    const before = await attempts()
    expect(before.length).toBeGreaterThan(0)
    isDown = false
    await harness.client.retry(id, actor)
    await harness.client.wait(id)
    expect(Math.max(...(await attempts()))).toBeGreaterThan(Math.max(...before))
  })

  it("is called again at once when a person asks for it, and not by the clock of the run", async () => {
    let isDown = true
    await open({ isAway: () => isDown }, nextDay)
    const id = await harness.start({ timeout_seconds: 300 })
    await untilBlocked(id)
    // The wait itself, and not the time limit of the run.
    await eventually(async () => {
      const [wait = 0, ...others] = await openTimersOf(harness.handle(id))
      return wait > 80_000 && others.length === 0
    })
    isDown = false
    expect(await harness.client.retry(id, actor)).toMatchObject({ status: "running" })
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed" })
    const { items: audit } = await harness.client.audit({ sessionId: id })
    expect(audit.filter(({ action }) => action === "retry").map(({ via }) => via)).toEqual(["cli"])
    await expect(harness.client.retry(id, actor)).rejects.toMatchObject({ code: "session_not_running" })
  })

  it("continues on another model when a person sets one", async () => {
    await open({ isAway: ({ spec }) => spec.maxOutputTokens !== light.maxOutputTokens }, nextDay)
    const id = await harness.start()
    await untilBlocked(id)
    await harness.client.setModel(id, "light", actor)
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed" })
  })

  it("can be cancelled", async () => {
    await open({ isAway: () => true }, nextDay)
    const id = await harness.start()
    await untilBlocked(id)
    expect(await harness.client.cancel(id, actor)).toEqual({ status: "cancelled" })
    expect(await blockedBy(id)).toBeUndefined()
  })

  it("continues as new while it waits, and takes the step once", async () => {
    let isDown = true
    await open({ isAway: () => isDown }, { ...soon, continueAsNewAfterEvents: 40 })
    const id = await harness.start()
    const { runId } = await harness.handle(id).describe()
    await eventually(async () => (await harness.handle(id).describe()).runId !== runId)
    await untilBlocked(id)
    isDown = false
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed", steps_taken: 1 })
    expect((await harness.client.messages(id)).map(({ message }) => message.role)).toEqual(["user", "assistant"])
    expect(await eventsOf(id, "step-started")).toHaveLength(1)
  })

  it("forgets the outage when a used-up budget pauses it meanwhile", async () => {
    let now = Date.parse("2026-11-26T09:00:00Z")
    harness = await openHarness({
      now: () => now,
      config: {
        timing: { ...nextDay, modelAttempts: 1 },
        limits: { tokensPerDay: 1_000_000 },
        models: { main: scripted },
      },
      model: createFakeModel((request) => {
        if (isOf("spends")(request)) return { text: "Spent.", outputTokens: 999_900 }
        throw new ModelError("retry", "the provider answered 529: overloaded")
      }),
    })
    const { client, start } = harness
    const id = await start({ prompt: "waits", pause_on_approval: true })
    await untilBlocked(id)
    expect(await client.wait(await start({ prompt: "spends" }))).toMatchObject({ outcome: "completed" })
    await client.retry(id, actor)
    expect(await client.wait(id)).toMatchObject({ outcome: "paused", pause_reason: { type: "input_required" } })
    expect(await blockedBy(id)).toBeUndefined()
    now += 86_400_000
    await client.send({ sessionId: id, text: "Continue.", type: "message", actor })
    await untilBlocked(id)
    // How long a run may wait counts from the first failure of this outage.
    expect((await eventsOf(id, "model-retry")).map((event) => event["attempt"])).toEqual([1, 1])
    await client.cancel(id, actor)
  })

  it("fails when it has waited as long as it may", async () => {
    await open({ isAway: () => true }, { ...soon, providerPauseSeconds: 1 })
    const id = await harness.start()
    expect(await harness.client.wait(id)).toMatchObject({
      outcome: "failed",
      stop_reason: "error",
      error: { code: "provider_error", message: "the provider answered 529: overloaded" },
    })
    expect((await eventsOf(id, "model-retry")).length).toBeGreaterThan(1)
  })
})

describe("a key that is refused or an account without credit", () => {
  it.each(["auth", "quota"] as const)("fails the run at once if it never worked in it: %s", async (kind) => {
    await open({ isAway: () => true, kind }, nextDay)
    expect(await harness.client.wait(await harness.start())).toMatchObject({ outcome: "failed", steps_taken: 1 })
  })

  it.each(["auth", "quota"] as const)("is waited for if it has worked in the run: %s", async (kind) => {
    let isDown = true
    await open({ isAway: (_, turn) => turn === 2 && isDown, kind }, nextDay, [{ calls: [["LS", {}]] }])
    const id = await harness.start()
    await untilBlocked(id)
    isDown = false
    await harness.client.retry(id, actor)
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed", steps_taken: 2 })
  })
})

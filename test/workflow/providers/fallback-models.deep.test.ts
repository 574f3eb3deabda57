import { afterEach, describe, expect, it } from "vitest"
import type { ConfigInput } from "../../../contracts/config/config.ts"
import { ModelError, type ModelErrorKind } from "../../../models/model-error.ts"
import type { ModelRequest } from "../../../models/model-provider.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"
import { eventually } from "../../helpers/eventually.ts"
import { countTurn, createFakeModel, type FakeReply } from "../../helpers/models/fake-model.ts"

let harness: Harness
afterEach(() => harness.close())

const actor = { by: "mia", via: "cli" }
const attempts = 2
const nextDay = {
  modelAttempts: attempts,
  providerRetryInitialMs: 86_400_000,
  providerRetryMaxMs: 86_400_000,
  providerPauseSeconds: 86_400,
}
const scripted = { provider: "scripted", script: "unused.yaml" } as const
const names = ["main", "second", "third"] as const
type Name = (typeof names)[number]

/** The fake distinguishes its models by their output limits. */
const tokensOf = (name: Name): number => 1_000 + names.indexOf(name)
const nameOf = ({ spec }: ModelRequest): Name => names.find((name) => tokensOf(name) === spec.maxOutputTokens) ?? "main"

const models = {
  main: { ...scripted, model: "fake-main", maxOutputTokens: tokensOf("main"), fallback: ["second", "third"] },
  second: { ...scripted, model: "fake-second", maxOutputTokens: tokensOf("second") },
  third: { ...scripted, model: "fake-third", maxOutputTokens: tokensOf("third") },
} satisfies ConfigInput["models"]

/** Opens models that fail as `failureOf` says; returns the names of those that were called. */
const open = async (
  failureOf: (name: Name, turn: number) => ModelErrorKind | undefined,
  options: { readonly config?: ConfigInput; readonly replies?: readonly FakeReply[] } = {},
): Promise<Name[]> => {
  const calls: Name[] = []
  harness = await openHarness({
    config: { models, ...options.config, timing: { ...nextDay, ...options.config?.timing } },
    model: createFakeModel((request, turn) => {
      const name = nameOf(request)
      calls.push(name)
      const kind = failureOf(name, turn)
      if (kind !== undefined) throw new ModelError(kind, `${name} answered 529: overloaded`)
      return options.replies?.[turn - 1] ?? { text: "Done." }
    }),
  })
  return calls
}

const look: FakeReply = { calls: [["LS", {}]] }
const untilBlocked = (id: string) =>
  eventually(async () => (await harness.client.info(id)).blocked_by[0]?.type === "provider_unavailable")
const eventsOf = async (id: string, type: string) =>
  (await harness.store.events.read(id, { after: 0, limit: 1_000 })).events.filter((event) => event.type === type)
const changesOf = async (id: string) =>
  (await eventsOf(id, "model-changed")).map(({ step, from, to }) => ({ step, from, to }))

describe("the fallback models of a run", () => {
  it("take its steps in order, keep them for the run, and leave the next run to its own model", async () => {
    let isDown = true
    const calls = await open((name) => (isDown && name !== "third" ? "retry" : undefined), { replies: [look, look] })
    const id = await harness.start()
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed", steps_taken: 3 })
    expect(calls).toEqual(["main", "main", "second", "second", "third", "third", "third"])
    expect(await changesOf(id)).toEqual([
      { step: 1, from: "main", to: "second" },
      { step: 1, from: "second", to: "third" },
    ])
    expect((await eventsOf(id, "step-started")).map(({ step }) => step)).toEqual([1, 2, 3])
    const { model, runs, blocked_by } = await harness.client.info(id)
    expect({ model, blocked_by }).toEqual({ model: "main", blocked_by: [] })
    expect(runs.map((run) => run.fallback_model)).toEqual(["third"])
    isDown = false
    calls.length = 0
    await harness.client.send({ sessionId: id, text: "Do it again.", type: "follow_up", actor })
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed" })
    expect(calls).toEqual(["main"])
    expect((await harness.client.info(id)).runs.map((run) => run.fallback_model)).toEqual(["third", null])
  })

  it("stay in use across continue-as-new", async () => {
    const calls = await open((name) => (name === "main" ? "retry" : undefined), {
      config: { timing: { continueAsNewAfterEvents: 60 } },
      replies: Array.from({ length: 8 }, () => look),
    })
    const id = await harness.start()
    const { runId } = await harness.handle(id).describe()
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed", steps_taken: 9 })
    expect((await harness.handle(id).describe()).runId).not.toBe(runId)
    expect(calls.filter((name) => name === "main")).toHaveLength(attempts)
  })

  it("let the run wait for its own model when all of them are unavailable", async () => {
    let isDown = true
    const calls = await open(() => (isDown ? "retry" : undefined))
    const id = await harness.start()
    await untilBlocked(id)
    expect((await harness.client.info(id)).blocked_by[0]).toMatchObject({ reason: "main answered 529: overloaded" })
    isDown = false
    calls.length = 0
    await harness.client.retry(id, actor)
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed", steps_taken: 1 })
    expect(calls).toEqual(["main"])
    expect((await changesOf(id)).at(-1)).toEqual({ step: 1, from: "third", to: "main" })
    expect(await eventsOf(id, "step-started")).toHaveLength(1)
  })

  it("are tried again in each round of the wait", async () => {
    let back: Name | undefined = undefined
    const calls = await open((name) => (name === back ? undefined : "retry"))
    const id = await harness.start()
    await untilBlocked(id)
    back = "second"
    calls.length = 0
    await harness.client.retry(id, actor)
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed" })
    expect(new Set(calls)).toEqual(new Set(["main", "second"]))
  })

  it.each(["auth", "quota", "bad_request", "not_found"] as const)(
    "are skipped for the run if they never answered in it: %s",
    async (kind) => {
      const calls = await open(
        (name, turn) => (name === "second" ? kind : name === "main" && turn < 3 ? "retry" : undefined),
        {
          replies: [look],
        },
      )
      expect(await harness.client.wait(await harness.start())).toMatchObject({ outcome: "completed", steps_taken: 2 })
      expect(calls.filter((name) => name === "second")).toHaveLength(1)
    },
  )

  it.each(["auth", "quota", "bad_request", "not_found"] as const)(
    "do not replace a model that could not have worked: %s",
    async (kind) => {
      const calls = await open((name) => (name === "main" ? kind : undefined))
      expect(await harness.client.wait(await harness.start())).toMatchObject({
        outcome: "failed",
        stop_reason: "error",
      })
      expect(calls).toEqual(["main"])
    },
  )

  it.each(["auth", "quota"] as const)("take over from a model that has worked in the run: %s", async (kind) => {
    const calls = await open((name, turn) => (name === "main" && turn > 1 ? kind : undefined), { replies: [look] })
    expect(await harness.client.wait(await harness.start())).toMatchObject({ outcome: "completed", steps_taken: 2 })
    expect(calls).toEqual(["main", "main", "second"])
  })

  it("are not called for a step that the budget does not cover", async () => {
    const free = { inputPerMTok: 0, outputPerMTok: 0 }
    const calls = await open((name) => (name === "main" ? "retry" : undefined), {
      config: {
        prices: { "fake-main": free, "fake-second": { inputPerMTok: 0, outputPerMTok: 1_000_000 }, "fake-third": free },
      },
    })
    expect(await harness.client.wait(await harness.start({ budget_usd: 1 }))).toMatchObject({ outcome: "completed" })
    expect(calls).toEqual(["main", "main", "third"])
  })

  it("leave a wait to the run's own model if the budget covers none of them", async () => {
    const dear = { inputPerMTok: 0, outputPerMTok: 1_000_000 }
    const calls = await open((name) => (name === "main" ? "retry" : undefined), {
      config: {
        prices: {
          "fake-main": { inputPerMTok: 0, outputPerMTok: 0 },
          "fake-second": dear,
          "fake-third": dear,
        },
      },
    })
    const id = await harness.start({ budget_usd: 1 })
    await untilBlocked(id)
    // One round of attempts: the outage that was noted for it makes the run wait.
    expect(calls).toEqual(["main", "main"])
    await harness.client.cancel(id, actor)
  })

  it("give way to the model that a person sets", async () => {
    let isDown = true
    const reached = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    harness = await openHarness({
      config: { models, timing: nextDay },
      model: createFakeModel(async (request) => {
        const name = nameOf(request)
        if (isDown && name === "main") throw new ModelError("retry", "main answered 529: overloaded")
        if (countTurn(request) > 1) return { text: name }
        reached.resolve()
        await held.promise
        return look
      }),
    })
    const id = await harness.start()
    await reached.promise
    isDown = false
    await harness.client.setModel(id, "main", actor)
    held.resolve()
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed", final_message: "main" })
  })
})

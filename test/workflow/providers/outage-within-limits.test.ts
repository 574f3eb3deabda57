import { afterEach, describe, expect, it } from "vitest"
import type { ConfigInput } from "../../../contracts/config/config.ts"
import { ModelError } from "../../../models/model-error.ts"
import { type Harness, openHarness } from "../../helpers/engine/workflow-harness.ts"
import { createFakeModel } from "../../helpers/models/fake-model.ts"

let harness: Harness
afterEach(() => harness.close())

const attempts = 3
const mainTokens = 1_000
const scripted = { provider: "scripted", script: "unused.yaml" } as const
/** Each attempt has to wait for the one before it. */
const limits = { requestsPerMinute: 100 }

/** Opens models of which `main` never answers; returns how often each was called. */
const open = async (models: ConfigInput["models"]) => {
  const calls = { main: 0, other: 0 }
  harness = await openHarness({
    config: { models, timing: { modelAttempts: attempts } },
    model: createFakeModel(({ spec }) => {
      const isMain = spec.maxOutputTokens === mainTokens
      calls[isMain ? "main" : "other"] += 1
      if (isMain) throw new ModelError("retry", "the provider answered 529: overloaded")
      return { text: "Done." }
    }),
  })
  return calls
}

describe("a provider that never answers, and whose limits let the attempts of a call wait", () => {
  it("is unavailable after as many attempts as one without limits", async () => {
    const calls = await open({ main: { ...scripted, maxOutputTokens: mainTokens, limits } })
    const id = await harness.start()
    expect(await harness.client.wait(id)).toMatchObject({
      outcome: "failed",
      error: { code: "provider_error", message: "the provider answered 529: overloaded" },
    })
    expect(calls.main).toBe(attempts)
    const { events } = await harness.store.events.read(id, { after: 0, limit: 1_000 })
    const retries = events.filter(({ type }) => type === "model-retry")
    expect(retries.map((event) => event["attempt"])).toEqual([1, 2])
  })

  it("leaves the step to a fallback model", async () => {
    const calls = await open({
      main: { ...scripted, maxOutputTokens: mainTokens, limits, fallback: ["other"] },
      other: { provider: "scripted", script: "./other/unused.yaml", maxOutputTokens: 2 * mainTokens },
    })
    const id = await harness.start()
    expect(await harness.client.wait(id)).toMatchObject({ outcome: "completed", steps_taken: 1 })
    expect(calls).toEqual({ main: attempts, other: 1 })
    expect((await harness.client.info(id)).blocked_by).toEqual([])
  })
})

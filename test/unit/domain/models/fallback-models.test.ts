import { describe, expect, it } from "vitest"
import type { ModelSpec } from "../../../../contracts/run-snapshot.ts"
import { fallbackModels, fallbacksByModel, narrowFallbacks } from "../../../../domain/models/fallback-models.ts"

const spec = (model: string, fallback?: string[]): ModelSpec => ({
  provider: "scripted",
  model,
  maxOutputTokens: 1,
  price: null,
  ...(fallback === undefined ? {} : { fallback }),
})
const models = {
  main: spec("m", ["strong", "weak", "gone", "w", "other", "main"]),
  strong: spec("s"),
  weak: spec("w"),
  other: spec("o", ["strong", "s"]),
}
const run = { model: "main", models, modelTiers: [["strong"], ["main"], ["weak"]] }

describe("the fallback models of a run", () => {
  it("are those that it has, by name or by the provider's id, once, and never in a higher tier", () => {
    expect(fallbackModels(run, "main")).toEqual(["weak", "other"])
    expect(fallbackModels(run, "weak")).toEqual([])
    expect(fallbackModels(run, "constructor")).toEqual([])
  })

  it("are listed for every model that has some left", () => {
    expect(fallbacksByModel(run)).toEqual({ main: ["weak", "other"] })
  })

  it("are narrowed to the tier of the run above, also for a model without a tier", () => {
    const above = { ...run, model: "weak" }
    const narrowed = narrowFallbacks(above, models)
    expect(narrowed["other"]?.fallback).toEqual([])
    expect(narrowed["main"]?.fallback).toEqual(["weak", "gone", "w", "other"])
    expect(narrowed["weak"]).toBe(models.weak)
    expect(fallbackModels({ ...run, model: "other", models: narrowed }, "other")).toEqual([])
  })
})

import { describe, expect, it } from "vitest"
import { checkConfig } from "../../../../config/check-config.ts"
import { configSchema, type ConfigInput } from "../../../../contracts/config/config.ts"

const scripted = { provider: "scripted", script: "demo.yaml" } as const

const problemsOf = (fallback: string[], config: ConfigInput = {}) =>
  checkConfig(
    configSchema.parse({ models: { main: { ...scripted, fallback }, other: scripted, big: scripted }, ...config }),
  )

describe("the fallback models of a configuration", () => {
  it("can be configured models, those of the environment, and models of the price table", () => {
    expect(problemsOf(["other", "light", "claude-haiku-5-5"])).toEqual([])
  })

  it.each([
    ["a model that does not exist", ["othr"], "there is no model othr (did you mean other?)"],
    ["the model itself", ["main"], "main is its own fallback model: remove it"],
    ["a model twice", ["other", "other"], "other is in the list twice: remove one"],
    ["a model of a higher tier", ["big"], "big is in a higher tier than main in modelTiers: remove it"],
  ])("cannot be %s", (_, fallback, message) => {
    const problems = problemsOf(fallback, { modelTiers: [["big"], ["main"]] })
    expect(problems).toEqual([{ path: ["models", "main", "fallback", fallback.length - 1], message }])
  })
})

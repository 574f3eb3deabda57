import { describe, expect, it } from "vitest"
import type { ModelSpec } from "../../../../contracts/run-snapshot.ts"
import {
  chooseModel,
  downgradeModel,
  isStrongerModel,
  resolveModelName,
  taskModel,
} from "../../../../domain/limits/model-choice.ts"

const spec = (provider: ModelSpec["provider"], model: string): ModelSpec => ({
  provider,
  model,
  maxOutputTokens: 1,
  price: null,
})
const models = {
  main: spec("anthropic", "claude-opus-5-5"),
  light: spec("openai", "gpt-6-luna"),
  sonnet: spec("anthropic", "claude-sonnet-5-5"),
  "claude-haiku-5-5": spec("anthropic", "claude-haiku-5-5"),
  local: spec("openai-compatible", "qwen3"),
}

describe("chooseModel", () => {
  it("takes the first of explicit, profile, subagents and caller", () => {
    const wishes = { explicit: "a", profile: "b", subagents: "c", caller: "d" }
    expect(chooseModel(wishes)).toBe("a")
    expect(chooseModel({ ...wishes, explicit: undefined })).toBe("b")
    expect(chooseModel({ subagents: "c", caller: "d" })).toBe("c")
    expect(chooseModel({ caller: "d" })).toBe("d")
  })
})

describe("resolveModelName", () => {
  it("finds a model by name and by its provider's id", () => {
    expect(resolveModelName("local", models)).toBe("local")
    expect(resolveModelName("qwen3", models)).toBe("local")
    expect(resolveModelName("constructor", models)).toBeUndefined()
  })
})

describe("the tasks family", () => {
  it("makes main light, and opus or sonnet the haiku of the same provider", () => {
    expect(downgradeModel("main", models)).toBe("light")
    expect(downgradeModel("sonnet", models)).toBe("claude-haiku-5-5")
    expect(downgradeModel("local", models)).toBe("local")
    expect(downgradeModel("sonnet", { sonnet: models.sonnet })).toBe("sonnet")
  })
})

describe("the Task tool", () => {
  it("takes light for explore and summary, main for general and plan, and what was asked before either", () => {
    expect((["general", "explore", "summary", "plan"] as const).map((type) => taskModel(type, undefined))).toEqual([
      "main",
      "light",
      "light",
      "main",
    ])
    expect(taskModel("explore", "main")).toBe("main")
  })
})

describe("tiers", () => {
  const run = { models, modelTiers: [["claude-opus-5-5"], ["sonnet"], ["gpt-6-luna", "claude-haiku-5-5"]] }
  it("rank by name and by model id", () => {
    expect(isStrongerModel("main", "sonnet", run)).toBe(true)
    expect(isStrongerModel("sonnet", "light", run)).toBe(true)
    expect(isStrongerModel("light", "claude-haiku-5-5", run)).toBe(false)
    expect(isStrongerModel("light", "main", run)).toBe(false)
  })
  it("say nothing where one of the two is not ranked", () => {
    expect(isStrongerModel("main", "local", run)).toBe(false)
    expect(isStrongerModel("local", "light", run)).toBe(false)
  })
})

import { describe, expect, it } from "vitest"
import type { ModelSpec } from "../../../../contracts/run-snapshot.ts"
import {
  chooseModel,
  downgradeModel,
  isStrongerModel,
  resolveModelName,
  taskModel,
} from "../../../../domain/models/model-choice.ts"

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
  it("uses the first of explicit, profile, subagents and caller", () => {
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

describe("models of the tasks family", () => {
  it("use main for light, and the provider's opus or sonnet for its haiku", () => {
    expect(downgradeModel("main", models)).toBe("light")
    expect(downgradeModel("sonnet", models)).toBe("claude-haiku-5-5")
    expect(downgradeModel("local", models)).toBe("local")
    expect(downgradeModel("sonnet", { sonnet: models.sonnet })).toBe("sonnet")
  })
})

describe("models of the Task tool", () => {
  it("are light for explore and summary, main for general and plan, unless a model was requested", () => {
    expect((["general", "explore", "summary", "plan"] as const).map((type) => taskModel(type, undefined))).toEqual([
      "main",
      "light",
      "light",
      "main",
    ])
    expect(taskModel("explore", "main")).toBe("main")
  })
})

describe("model tiers", () => {
  const run = { models, modelTiers: [["claude-opus-5-5"], ["sonnet"], ["gpt-6-luna", "claude-haiku-5-5"]] }
  it("rank models by name and by model id", () => {
    expect(isStrongerModel("main", "sonnet", run)).toBe(true)
    expect(isStrongerModel("sonnet", "light", run)).toBe(true)
    expect(isStrongerModel("light", "claude-haiku-5-5", run)).toBe(false)
    expect(isStrongerModel("light", "main", run)).toBe(false)
  })
  it("compare nothing if one of the two is not ranked", () => {
    expect(isStrongerModel("main", "local", run)).toBe(false)
    expect(isStrongerModel("local", "light", run)).toBe(false)
  })
})

import { describe, expect, it } from "vitest"
import { suggest } from "../../../../domain/text/suggest.ts"

describe("suggest", () => {
  const names = ["maxSteps", "model", "models", "Read", "Grep", "TodoWrite"]
  it("returns the probable meanings, nearest first", () => {
    expect(suggest("maxStep", names)).toEqual(["maxSteps"])
    expect(suggest("read", names)).toEqual(["Read"])
    expect(suggest("modle", names)[0]).toBe("model")
    expect(suggest("Todo", names)).toEqual(["TodoWrite"])
  })
  it("returns nothing for a text that is similar to none", () => {
    expect(suggest("zzzzzzzz", names)).toEqual([])
  })
})

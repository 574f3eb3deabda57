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

  it("compares no more than the first thousand names, of which an MCP server can have any number", () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => `mcp__s__${"x".repeat(90)}${index}`)
    expect(suggest("mcp__s__send", [...many(999), "mcp__s__sent"])).toEqual(["mcp__s__sent"])
    expect(suggest("mcp__s__send", [...many(1_000), "mcp__s__sent"])).toEqual([])
  })
})

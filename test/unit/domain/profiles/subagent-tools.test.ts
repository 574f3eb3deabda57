import { describe, expect, it } from "vitest"
import { withSubagentTools } from "../../../../domain/profiles/subagent-tools.ts"
import { isAllowedTool } from "../../../../domain/tools/tool-names.ts"
import { baseSnapshot } from "../../client/client-fixture.ts"

const toolsOf = (tools: string[], rules: { denyTools?: string[]; allowTools?: string[] }) =>
  withSubagentTools({ ...baseSnapshot, tools }, { denyTools: [], allowTools: [], ...rules })

describe("the tools of a sub-agent", () => {
  it("are those of its list that are not denied", () => {
    expect(toolsOf(["Read", "Write"], { denyTools: ["Write"] }).tools).toEqual(["Read"])
  })

  it("exclude tools that match a denied pattern", () => {
    const run = toolsOf(["mcp__docs__*"], { denyTools: ["mcp__docs__delete"] })
    expect(isAllowedTool(run, "mcp__docs__search")).toBe(true)
    expect(isAllowedTool(run, "mcp__docs__delete")).toBe(false)
  })

  it("are only those that an allow list names", () => {
    expect(toolsOf(["Read", "mcp__docs__*"], { allowTools: ["mcp__docs__search"] }).tools).toEqual([
      "mcp__docs__search",
    ])
  })
})

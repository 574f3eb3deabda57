import { expect, it } from "vitest"
import { usableTools } from "../../../mcp-client/tool-list.ts"

const listOf = (names: readonly string[]) => names.map((name) => ({ name, inputSchema: { type: "object" as const } }))

const used = (names: readonly string[]) => {
  const { tools, problems } = usableTools(listOf(names))
  return { names: tools.map(({ name }) => name), problems }
}

it("uses all tools of an ordinary list", () => {
  expect(used(["one", "x".repeat(200)])).toEqual({ names: ["one", "x".repeat(200)], problems: [] })
})

it("leaves out tools whose name could only be shown in part", () => {
  expect(used(["one", "x".repeat(201), "y".repeat(1_000_000)])).toEqual({
    names: ["one"],
    problems: [{ name: "2 in all", reason: "a name is longer than 200 characters" }],
  })
})

it("uses the first 5,000 tools, since each step of a run looks at all of them", () => {
  const { names, problems } = used(Array.from({ length: 100_000 }, (_, index) => `tool_${index}`))
  expect(names).toHaveLength(5_000)
  expect(names.at(-1)).toBe("tool_4999")
  expect(problems).toEqual([{ name: "the last 95000", reason: "only the first 5000 are used" }])
})

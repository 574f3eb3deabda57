import { expect, it } from "vitest"
import { reportUnusable, usableTools } from "../../../../mcp-client/connection/tool-list.ts"

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
    problems: [{ reason: "2 with a name of more than 200 characters" }],
  })
})

it("uses the first 5,000 tools, since each step of a run looks at all of them", () => {
  const { names, problems } = used(Array.from({ length: 100_000 }, (_, index) => `tool_${index}`))
  expect(names).toHaveLength(5_000)
  expect(names.at(-1)).toBe("tool_4999")
  expect(problems).toEqual([{ reason: "the last 95000 of 100000: at most 5000 are used" }])
})

it("reports what is left out: each tool that has a name, and at most fifty", () => {
  const list = "MCP server s lists tools that cannot be used: "
  expect(reportUnusable("s", [{ name: "bad", reason: "no schema" }, { reason: "the last 2 of 5002" }])).toEqual([
    { server: "s", tool: "bad", message: "MCP server s lists a tool that cannot be used, bad: no schema" },
    { server: "s", message: `${list}the last 2 of 5002` },
  ])
  const many = reportUnusable(
    "s",
    Array.from({ length: 60 }, (_, index) => ({ name: `t${index}`, reason: "no schema" })),
  )
  expect(many).toHaveLength(51)
  expect(many.at(-1)).toEqual({ server: "s", message: `${list}10 more` })
})

import { describe, expect, it } from "vitest"
import type { RunSnapshot } from "../../../../../contracts/run-snapshot.ts"
import {
  cutServers,
  cutServersText,
  listedTools,
  mayFindTools,
} from "../../../../../domain/tools/search/listed-tools.ts"

type Settings = Parameters<typeof mayFindTools>[0]

const model = (provider: RunSnapshot["models"][string]["provider"], fallback?: string[]) => ({
  provider,
  model: provider,
  maxOutputTokens: 1,
  price: null,
  ...(fallback === undefined ? {} : { fallback }),
})

const run = (fields: Partial<Settings> = {}): Settings => ({
  tools: ["Read", "mcp__a__*", "mcp__b__*"],
  deniedTools: [],
  mcpServers: { a: {}, b: {} },
  model: "main",
  models: { main: model("anthropic") },
  modelTiers: [],
  ...fields,
})

const toolsOf = (server: string, count: number) =>
  Array.from({ length: count }, (_, index) => ({ name: `mcp__${server}__${index + 1}` }))

const countsOf = (tools: readonly { readonly name: string }[]) => [
  tools.filter(({ name }) => name.startsWith("mcp__a__")).length,
  tools.filter(({ name }) => name.startsWith("mcp__b__")).length,
]

describe("listedTools", () => {
  it("lists all tools up to the setting, and above it a share of each server, in their order", () => {
    const few = [...toolsOf("a", 40), ...toolsOf("b", 10)]
    expect(listedTools(run(), few, 10)).toEqual(few)
    const many = [...toolsOf("a", 200), ...toolsOf("b", 10)]
    const listed = listedTools(run(), many, 10)
    expect(countsOf(listed)).toEqual([40, 10])
    expect(listed).toEqual(many.filter((tool) => listed.includes(tool)))
    expect(countsOf(listedTools(run({ maxOfferedTools: 20 }), many, 10))).toEqual([5, 5])
    expect(listedTools(run({ maxOfferedTools: 5 }), many, 10)).toEqual([])
  })

  it("lists tools that are named one by one, as far as every model of the run takes them", () => {
    const named = toolsOf("a", 100)
    const tools = [...named.map(({ name }) => name), "mcp__b__*"]
    const all = [...named, ...toolsOf("b", 10)]
    expect(listedTools(run({ tools }), all, 10)).toEqual(named)
    const limited = run({ tools, models: { main: model("anthropic", ["other"]), other: model("openai") } })
    expect(listedTools(limited, all, 30)).toEqual(named.slice(0, 98))
    expect(countsOf(listedTools({ ...limited, maxOfferedTools: 500 }, all, 20))).toEqual([100, 8])
    const onlyNamed = run({ tools: toolsOf("a", 150).map(({ name }) => name), models: { main: model("openai") } })
    expect(listedTools(onlyNamed, toolsOf("a", 150), 10)).toHaveLength(118)
  })

  it("says of which servers it lists only a part", () => {
    const all = [...toolsOf("a", 200), ...toolsOf("b", 10)]
    const shares = cutServers(all, listedTools(run(), all, 10))
    expect(shares).toEqual([{ server: "a", listed: 40, tools: 200 }])
    expect(cutServersText(shares)).toBe(
      "the list of the model has 40 of the 200 tools of MCP server a: find_tools and call_tool reach the others (tools.maxOffered)",
    )
    expect(cutServers(all, all)).toEqual([])
  })
})

describe("mayFindTools", () => {
  it("is true for a run that may use tools it does not name, or names more than its models take", () => {
    expect(mayFindTools(run())).toBe(true)
    expect(mayFindTools(run({ tools: ["*"] }))).toBe(true)
    expect(mayFindTools(run({ tools: ["Read", "mcp__a__x"] }))).toBe(false)
    expect(mayFindTools(run({ tools: ["Read", "mcp__gone__*"] }))).toBe(false)
    expect(mayFindTools(run({ tools: ["*"], mcpServers: {} }))).toBe(false)
    expect(mayFindTools(run({ deniedTools: ["find_tools"] }))).toBe(false)
    const names = toolsOf("a", 120).map(({ name }) => name)
    expect(mayFindTools(run({ tools: names }))).toBe(false)
    expect(mayFindTools(run({ tools: names, models: { main: model("openai") } }))).toBe(true)
  })
})

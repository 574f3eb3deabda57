import { describe, expect, it } from "vitest"
import { searchText, searchTools } from "../../../../../domain/tools/search/search-tools.ts"

const tool = (name: string, description = "") => ({ name, description, inputSchema: { type: "object" } })

const tools = [
  tool("mcp__crm__listInvoices", "Lists what was billed"),
  tool("mcp__crm__create_invoice", "Bills a customer"),
  tool("mcp__crm__create_customer", "Adds a person or company"),
  tool("mcp__mail__send", "Sends an invoice or a letter"),
]

const namesFor = (query: string) => searchTools(tools, query).map(({ name }) => name.replace(/^mcp__\w+?__/, ""))

describe("searchTools", () => {
  it("finds tools by words of their names and descriptions, those with more of them first", () => {
    expect(namesFor("create invoices")).toEqual(["create_invoice", "listInvoices", "create_customer", "send"])
    expect(namesFor("customer")).toEqual(["create_customer", "create_invoice"])
    expect(namesFor("LETTER")).toEqual(["send"])
    expect(namesFor("crm")).toHaveLength(3)
    expect(namesFor("weather ?!")).toEqual([])
  })

  it("finds only the tool whose full name the query is", () => {
    expect(namesFor(" mcp__crm__create_invoice ")).toEqual(["create_invoice"])
  })
})

describe("searchTools with much to search", () => {
  it("searches what a model is shown of a description, and less of each where there are many", () => {
    const far = `${"word ".repeat(200)} needle`
    expect(searchTools([tool("one", far)], "needle")).toEqual([])
    const many = Array.from({ length: 4_000 }, (_, index) => tool(`tool_${index}`, `${"word ".repeat(90)} needle`))
    expect(searchTools(many, "needle")).toHaveLength(4_000)
    expect(searchTools([...many, ...many], "needle")).toEqual([])
    expect(searchTools([...many, ...many, tool("last")], "last")).toHaveLength(1)
    expect(searchTools([...many, ...many, tool("the_last")], "last")).toEqual([])
  })

  it("searches for the first 50 words of a query, and in the first 200 characters of a name", () => {
    const words = Array.from({ length: 50 }, (_, index) => `q${index}`).join(" ")
    expect(searchTools(tools, `${words} letter`)).toEqual([])
    expect(searchTools([tool(`${"a_".repeat(100)}needle`)], "needle")).toEqual([])
  })
})

describe("searchText", () => {
  it("describes the best tools with their arguments, and names the others", () => {
    const many = Array.from({ length: 80 }, (_, index) => tool(`mcp__s__do_${index + 1}`, "Does it"))
    const text = searchText(many, "do")
    expect(text).toMatch(/^80 of 80 tools fit\. Call one with call_tool\.\n\nmcp__s__do_1\nDoes it\narguments/)
    expect(text.match(/arguments \(JSON Schema\): \{"type":"object"\}/g)).toHaveLength(8)
    expect(text).toMatch(/Also: mcp__s__do_9, .*mcp__s__do_68 and 12 more$/)
  })

  it("stays short whatever a server writes", () => {
    const long = Array.from({ length: 20 }, (_, index) => ({
      ...tool(`mcp__s__do_${index + 1}`, "x".repeat(50_000)),
      inputSchema: { type: "object", description: "y".repeat(50_000) },
    }))
    expect(searchText(long, "do").length).toBeLessThan(30_000)
  })

  it("names the tools if none fits", () => {
    expect(searchText(tools, "weather")).toMatch(/^None of 4 tools fits: try other words\. Tools: mcp__crm__list/)
    expect(searchText([], "weather")).toBe("No MCP server offers a tool now.")
  })
})

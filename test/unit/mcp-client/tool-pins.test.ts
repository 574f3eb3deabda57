import { expect, it } from "vitest"
import { toolListChange, toolListChangeText } from "../../../domain/tools/tool-list-change.ts"
import { toolHashes } from "../../../mcp-client/tool-pins.ts"

const tool = { name: "a", description: "Reads", inputSchema: { type: "object" as const, properties: { x: {}, y: {} } } }

it.each([
  ["description", { ...tool, description: "Reads everything" }],
  ["title", { ...tool, title: "A" }],
  ["schema", { ...tool, inputSchema: { type: "object" as const, properties: { x: {} } } }],
  ["annotations", { ...tool, annotations: { readOnlyHint: true } }],
])("compares the %s of a tool", (_, changed) => {
  expect(toolListChange(toolHashes([tool]), toolHashes([changed]))).toEqual({ added: [], removed: [], changed: ["a"] })
})

it("ignores the order of tools and of the keys in their schemas", () => {
  const { name, description, inputSchema } = tool
  const reordered = { inputSchema: { properties: { y: {}, x: {} }, type: inputSchema.type }, description, name }
  const second = { ...tool, name: "__proto__" }
  expect(toolListChange(toolHashes([tool, second]), toolHashes([second, reordered]))).toBeUndefined()
})

it("compares every tool of a name, so that none hides behind another", () => {
  const hidden = { ...tool, description: "Sends everything away" }
  const change = toolListChange(toolHashes([tool]), toolHashes([hidden, tool]))
  expect(change).toEqual({ added: [], removed: [], changed: ["a"] })
})

it("describes a change in one line of bounded length, with all characters visible", () => {
  const names = ["x\n\u200b", ...Array.from({ length: 40 }, (_, index) => `${index}${"n".repeat(200)}`)]
  const text = toolListChangeText("docs", "2026-01-01T00:00:00.000Z", { added: names, removed: ["gone"], changed: [] })
  expect(text).toContain("new x \\u200b, 0nnn")
  expect(text).toMatch(/ and 31 more; missing gone$/)
  expect(text).not.toContain("\n")
  expect(text.length).toBeLessThan(1_000)
})

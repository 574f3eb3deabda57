import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { toWireName } from "../../../models/wire-name.ts"
import { toWireTools } from "../../../models/wire-tools.ts"

const tool = (name: string, inputSchema: Record<string, unknown> = {}) => ({ name, description: "", inputSchema })

describe("toWireTools", () => {
  it("keeps accepted names, and gives others a name that depends on the tool alone", () => {
    const wire = toWireTools([tool("Read"), tool("a.b"), tool("a/b"), tool("a_b")])
    const names = wire.tools.map(({ name }) => name)
    expect(names).toEqual([
      "Read",
      expect.stringMatching(/^a_b_[0-9a-f]{12}$/),
      expect.stringMatching(/^a_b_[0-9a-f]{12}$/),
      "a_b",
    ])
    expect(new Set(names).size).toBe(4)
    expect(names.map(wire.fromWire)).toEqual(["Read", "a.b", "a/b", "a_b"])
    expect(wire.fromWire("a_tool_that_nobody_offers")).toBe("a_tool_that_nobody_offers")
    expect(toWireTools([]).toWire("a.b")).toBe(names[1])
  })

  it("never gives a tool the name that another one had before it was removed", () => {
    const shared = `mcp__notion__${"a_long_name_".repeat(5)}`
    const create = tool(`${shared}_create_page`)
    const remove = tool(`${shared}_delete_page`)
    const both = toWireTools([create, remove])
    const later = toWireTools([remove])
    expect(later.tools[0]?.name).toBe(both.tools[1]?.name)
    expect(later.tools[0]?.name).not.toBe(both.tools[0]?.name)
    expect(later.toWire(create.name)).toBe(both.tools[0]?.name)
    expect([remove.name, create.name]).not.toContain(later.fromWire(both.tools[0]?.name ?? ""))
  })

  it("offers the first of several tools with one name, and no tool under the changed name of another", () => {
    const wire = toWireTools([tool("a"), tool("a"), tool("a.b"), tool(toWireName("a.b"))])
    expect(new Set(wire.tools.map(({ name }) => name)).size).toBe(3)
    expect(wire.fromWire(wire.toWire("a.b"))).toBe("a.b")
  })

  it("finds every tool again under a name that providers accept", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ minLength: 1, maxLength: 130 })), (names) => {
        const wire = toWireTools(names.map((name) => tool(name)))
        expect(names.map((name) => wire.fromWire(wire.toWire(name)))).toEqual(names)
        expect(wire.tools.every(({ name }) => /^[a-zA-Z0-9_-]{1,64}$/.test(name))).toBe(true)
      }),
    )
  })

  it("turns every schema into an object with properties, and keeps the rest of it", () => {
    const [bare, full] = toWireTools([
      tool("a"),
      tool("b", { type: "object", properties: { x: {} }, additionalProperties: false }),
    ]).tools
    expect(bare?.schema).toEqual({ type: "object", properties: {} })
    expect(full?.schema).toEqual({ type: "object", properties: { x: {} }, additionalProperties: false })
  })
})

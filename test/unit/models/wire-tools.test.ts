import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { toWireTools } from "../../../models/wire-tools.ts"

const tool = (name: string, inputSchema: Record<string, unknown> = {}) => ({ name, description: "", inputSchema })

describe("toWireTools", () => {
  it("keeps valid names and distinguishes renamed ones", () => {
    const wire = toWireTools([tool("Read"), tool("a.b"), tool("a/b"), tool("a_b")])
    expect(wire.tools.map(({ name }) => name)).toEqual(["Read", "a_b", "a_b_2", "a_b_3"])
    expect(wire.fromWire("a_b_2")).toBe("a/b")
    expect(wire.fromWire("a_tool_that_nobody_offers")).toBe("a_tool_that_nobody_offers")
    expect(wire.toWire("gone.tool")).toBe("gone_tool")
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

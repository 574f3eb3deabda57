import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { toWireName } from "../../../../models/wire/wire-name.ts"
import { toWireTools, type WireTools } from "../../../../models/wire/wire-tools.ts"

const tool = (name: string, inputSchema: Record<string, unknown> = {}) => ({ name, description: "", inputSchema })

const call = (name: string, args: Record<string, unknown> | null = {}) => ({ id: "c", name, arguments: args })
const toWire = (wire: WireTools, name: string) => wire.toWire(call(name)).name
const fromWire = (wire: WireTools, name: string) => wire.fromWire(call(name)).name

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
    expect(names.map((name) => fromWire(wire, name))).toEqual(["Read", "a.b", "a/b", "a_b"])
    expect(fromWire(wire, "a_tool_that_nobody_offers")).toBe("a_tool_that_nobody_offers")
    expect(toWire(toWireTools([]), "a.b")).toBe(names[1])
  })

  it("never gives a tool the name that another one had before it was removed", () => {
    const shared = `mcp__notion__${"a_long_name_".repeat(5)}`
    const create = tool(`${shared}_create_page`)
    const remove = tool(`${shared}_delete_page`)
    const both = toWireTools([create, remove])
    const later = toWireTools([remove])
    expect(later.tools[0]?.name).toBe(both.tools[1]?.name)
    expect(later.tools[0]?.name).not.toBe(both.tools[0]?.name)
    expect(toWire(later, create.name)).toBe(both.tools[0]?.name)
    expect([remove.name, create.name]).not.toContain(fromWire(later, both.tools[0]?.name ?? ""))
  })

  it("shows a call that was made by call_tool in that form, with the tool's own keys", () => {
    const wire = toWireTools([tool("mcp__s__list", { type: "object", properties: { $top: {} } })])
    const named = { ...call("mcp__s__list", { $top: 1 }), by_call_tool: true as const }
    expect(wire.toWire(named)).toMatchObject({
      id: "c",
      name: "call_tool",
      arguments: { name: "mcp__s__list", arguments: { $top: 1 } },
    })
  })

  it("offers the first of several tools with one name, and no tool under the changed name of another", () => {
    const wire = toWireTools([tool("a"), tool("a"), tool("a.b"), tool(toWireName("a.b"))])
    expect(new Set(wire.tools.map(({ name }) => name)).size).toBe(3)
    expect(fromWire(wire, toWire(wire, "a.b"))).toBe("a.b")
  })

  it("finds every tool again under a name that providers accept", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ minLength: 1, maxLength: 130 })), (names) => {
        const wire = toWireTools(names.map((name) => tool(name)))
        expect(names.map((name) => fromWire(wire, toWire(wire, name)))).toEqual(names)
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

  it("renames keys that providers refuse, and gives the tool its own back, in new calls and old ones", () => {
    const wire = toWireTools([
      tool("list", {
        type: "object",
        properties: {
          $top: { type: "integer", description: "How many" },
          filter: { type: "array", items: { type: "object", properties: { "@odata.type": {} } } },
        },
        required: ["$top"],
      }),
    ])
    const { properties, required } = Object(wire.tools[0]?.schema)
    const [top = "", filter = ""] = Object.keys(properties)
    expect(top).toMatch(/^_top_[0-9a-f]{12}$/)
    expect(filter).toBe("filter")
    expect(required).toEqual([top])
    expect(properties[top]).toEqual({ type: "integer", description: "$top: How many" })
    const own = call("list", { $top: 3, filter: [{ "@odata.type": "x" }], other: { $top: 1 } })
    const sent = wire.toWire(own)
    expect(JSON.stringify(sent)).not.toMatch(/"[$@]/)
    expect(wire.fromWire(sent)).toEqual(own)
    expect(wire.fromWire({ ...own, arguments: null })).toEqual({ ...own, arguments: null })
  })
})

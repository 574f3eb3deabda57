import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { isRecord } from "../../../../domain/text/is-record.ts"
import { toWireSchema } from "../../../../models/wire/wire-schema.ts"

const text = { type: "string" }

/** Returns every key of an object's properties, at any depth, and whether an array lacks its items. */
const faultsOf = (schema: unknown): readonly string[] => {
  if (Array.isArray(schema)) return schema.flatMap(faultsOf)
  if (!isRecord(schema)) return []
  const keys = isRecord(schema["properties"]) ? Object.keys(schema["properties"]) : []
  return [
    ...keys.filter((key) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(key)),
    ...(schema["type"] === "array" && !isRecord(schema["items"]) ? ["an array without items"] : []),
    ...Object.values(schema).flatMap(faultsOf),
  ]
}

describe("toWireSchema", () => {
  it("replaces alternatives at the top by all their properties, and says what is required", () => {
    const { schema } = toWireSchema({
      type: "object",
      properties: { id: text, url: text },
      oneOf: [{ required: ["id"] }, { required: ["url"] }],
    })
    expect(schema).toEqual({
      type: "object",
      properties: { id: text, url: text },
      description: "Required: exactly one of: id; url.",
    })
  })

  it("requires what all alternatives require, and what every part of a whole does", () => {
    const { schema } = toWireSchema({
      allOf: [{ properties: { a: text }, required: ["a"] }, { $ref: "#/$defs/more" }],
      anyOf: [
        { properties: { c: text }, required: ["c", "d"] },
        { properties: { d: text }, required: ["d"] },
      ],
      $defs: { more: { type: "object", properties: { b: text }, required: ["b"] } },
    })
    expect(Object.keys(Object(schema.properties)).toSorted()).toEqual(["a", "b", "c", "d"])
    expect(schema["required"]).toEqual(["a", "b", "d"])
    expect(schema).not.toHaveProperty("anyOf")
    expect(schema).not.toHaveProperty("allOf")
  })

  it("gives every array its items, and drops references to other documents", () => {
    const { schema } = toWireSchema({
      type: "object",
      properties: {
        list: { type: "array" },
        either: { type: ["array", "null"] },
        pair: { type: "array", items: [text, { type: "integer" }] },
        foreign: { $ref: "https://example.com/x.json", description: "x" },
        anything: true,
      },
    })
    expect(schema.properties).toEqual({
      list: { type: "array", items: {} },
      either: { type: ["array", "null"], items: {} },
      pair: { type: "array", items: { anyOf: [text, { type: "integer" }] } },
      foreign: { description: "x" },
      anything: {},
    })
  })

  it("keeps what every provider accepts as it is, with the same keys in the same order", () => {
    const schema = {
      type: "object",
      properties: {
        a: { anyOf: [text, { type: "null" }] },
        properties: text,
        required: { type: "array", items: text },
      },
      required: ["a"],
      additionalProperties: false,
    } as const
    const wire = toWireSchema(schema)
    expect(wire.schema).toEqual(schema)
    expect(Object.keys(wire.schema.properties ?? {})).toEqual(["a", "properties", "required"])
    expect(wire.keys.size).toBe(0)
  })

  it("renames the same keys in references", () => {
    const { schema } = toWireSchema({
      type: "object",
      properties: { $a: text, b: { $ref: "#/properties/$a" } },
    })
    const [key = ""] = Object.keys(Object(schema.properties))
    expect(Object(schema.properties)["b"]).toEqual({ $ref: `#/properties/${key}` })
  })

  it("makes a schema that names itself, or nests without end, finite", () => {
    const deep: Record<string, unknown> = { type: "object" }
    let last = deep
    for (let depth = 0; depth < 500; depth += 1) {
      const next = { type: "array" }
      last["items"] = next
      last = next
    }
    expect(
      JSON.stringify(toWireSchema({ allOf: [{ $ref: "#" }, { $ref: "#/allOf/0" }], properties: { deep } })).length,
    ).toBeLessThan(5_000)
  })

  it("makes any schema acceptable", () => {
    const part = fc.letrec((tie) => ({
      schema: fc.record(
        {
          type: fc.constantFrom("array", "object", "string", ["array", "null"]),
          properties: fc.dictionary(fc.string(), tie("schema"), { maxKeys: 3 }),
          items: fc.oneof(tie("schema"), fc.constant(true), fc.array(tie("schema"), { maxLength: 2 })),
          oneOf: fc.array(tie("schema"), { maxLength: 2 }),
          required: fc.array(fc.string(), { maxLength: 2 }),
        },
        { requiredKeys: [] },
      ),
    })).schema
    fc.assert(
      fc.property(part, (value) => {
        const { schema } = toWireSchema(isRecord(value) ? value : {})
        expect(faultsOf(schema)).toEqual([])
        expect(Object.keys(schema)).not.toContain("oneOf")
      }),
    )
  })
})

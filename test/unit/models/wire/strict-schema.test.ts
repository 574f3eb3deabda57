import { describe, expect, it } from "vitest"
import { z } from "zod"
import { readArguments } from "../../../../domain/tools/arguments/read-arguments.ts"
import { toStrictSchema } from "../../../../models/wire/strict-schema.ts"
import { toWireSchema } from "../../../../models/wire/wire-schema.ts"

const strict = (schema: Record<string, unknown>) => toStrictSchema(toWireSchema(schema).schema)
const ofZod = (schema: z.ZodType) => strict(z.toJSONSchema(schema, { io: "input" }))

const object = (properties: Record<string, unknown>, more = {}) => ({ type: "object", properties, ...more })

describe("toStrictSchema", () => {
  it("requires every property, lets those be null that were optional, and allows no others", () => {
    const edits = z.strictObject({
      path: z.string().min(1).max(10).describe("Where"),
      limit: z.number().int().min(1).default(5),
      mode: z.enum(["a", "b"]).optional(),
      edits: z.array(z.strictObject({ old: z.string(), all: z.boolean().optional() })),
    })
    expect(ofZod(edits)).toEqual({
      type: "object",
      properties: {
        path: { type: "string", description: "Where" },
        limit: { type: ["integer", "null"] },
        mode: { type: ["string", "null"], enum: ["a", "b", null] },
        edits: {
          type: "array",
          items: {
            type: "object",
            properties: { old: { type: "string" }, all: { type: ["boolean", "null"] } },
            required: ["old", "all"],
            additionalProperties: false,
          },
        },
      },
      required: ["path", "limit", "mode", "edits"],
      additionalProperties: false,
    })
    const tool = { name: "mcp__s__edit", inputSchema: { ...z.toJSONSchema(edits, { io: "input" }) } }
    const written = { path: "a", limit: null, mode: null, edits: [{ old: "x", all: null }] }
    expect(readArguments(tool, written).arguments).toEqual({ path: "a", edits: [{ old: "x" }] })
  })

  it("keeps alternatives, references and constants", () => {
    const node = object({ kind: { const: "a" }, next: { $ref: "#/$defs/node" } }, { required: ["kind"] })
    const schema = object({ root: { oneOf: [{ $ref: "#/$defs/node" }, { type: "null" }] } }, { $defs: { node } })
    expect(strict(schema)).toMatchObject({
      properties: { root: { anyOf: [{ anyOf: [{ $ref: "#/$defs/node" }, { type: "null" }] }, { type: "null" }] } },
      $defs: {
        node: {
          properties: { kind: { const: "a" }, next: { anyOf: [{ $ref: "#/$defs/node" }, { type: "null" }] } },
          required: ["kind", "next"],
        },
      },
    })
    expect(strict({ type: "object" })).toEqual({
      type: "object",
      properties: {},
      required: [],
      additionalProperties: false,
    })
  })

  it.each([
    ["an object with any keys", object({ a: { type: "object" } })],
    ["an object with further keys", object({ a: object({}, { additionalProperties: { type: "string" } }) })],
    ["any value", object({ a: {} })],
    ["a list of anything", object({ a: { type: "array" } })],
    ["several rules at once", object({ a: { allOf: [{ type: "string" }] } })],
    ["a rule that depends on another value", object({ a: object({}, { if: {} }) })],
  ])("says nothing for a tool that takes %s", (_what, schema) => {
    expect(strict(schema)).toBeUndefined()
  })

  it("says nothing for a schema that nests deeper than servers take", () => {
    let deep: Record<string, unknown> = { type: "string" }
    for (let level = 0; level < 12; level += 1) deep = object({ a: deep })
    expect(strict(deep)).toBeUndefined()
  })
})

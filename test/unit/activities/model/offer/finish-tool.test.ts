import { describe, expect, it } from "vitest"
import { finishSpecs } from "../../../../../activities/model/offer/finish-tool.ts"

const schemaFor = (outputSchema: Record<string, unknown>) =>
  finishSpecs({ pauseOnText: false, outputSchema })[0]?.inputSchema

describe("the finish tool", () => {
  it("is not offered where a text is always the result, and takes a text where a text is a question", () => {
    expect(finishSpecs({ pauseOnText: false })).toEqual([])
    expect(finishSpecs({ pauseOnText: true })[0]?.inputSchema).toMatchObject({
      properties: { result: { type: "string" } },
    })
  })

  it("has the schema of the result as that of its argument, with the definitions where references find them", () => {
    const result = { type: "object", properties: { next: { $ref: "#/$defs/item" } }, required: ["next"] }
    const $defs = { item: { type: "string" } }
    expect(schemaFor({ $schema: "https://json-schema.org/draft/2020-12/schema", ...result, $defs })).toEqual({
      type: "object",
      properties: { result },
      required: ["result"],
      additionalProperties: false,
      $defs,
    })
  })

  it("is the same object in each step, so that it is fitted to a provider once", () => {
    const outputSchema = { type: "object" }
    expect(schemaFor(outputSchema)).toBe(schemaFor(outputSchema))
  })

  it.each([
    { type: "object", properties: { child: { $ref: "#" } } },
    { type: "object", properties: { a: { type: "string" }, b: { $ref: "#/properties/a" } } },
    { $id: "https://example.com/result", type: "object" },
  ])("takes any value where the schema %j would mean something else as a part", (outputSchema) => {
    expect(schemaFor(outputSchema)).toMatchObject({ properties: { result: { description: expect.any(String) } } })
    expect(JSON.stringify(schemaFor(outputSchema))).not.toContain("$ref")
  })

  it("finds no reference in a property that is called as one", () => {
    const result = { type: "object", properties: { $ref: { type: "string" } } }
    expect(schemaFor(result)).toMatchObject({ properties: { result } })
  })
})

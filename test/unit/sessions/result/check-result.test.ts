import { describe, expect, it } from "vitest"
import { isAdjutantError } from "../../../../contracts/adjutant-error.ts"
import { readFinishResult, readResult } from "../../../../domain/transcript/read-result.ts"
import {
  checkTurnOf,
  requireOutputSchema,
  resultProblem,
  resultText,
} from "../../../../sessions/result/check-result.ts"

describe("the result of a run", () => {
  it.each([
    ['{"a":1}', [{ a: 1 }]],
    ["```json\n[1]\n```", [[1]]],
    ["```\n2\n```", [2]],
    [' "text" ', ["text"]],
    ["plain words", []],
    ["Here it is: {}", []],
  ])("reads %j", (text, candidates) => {
    expect(readResult(text)).toEqual({ candidates })
  })

  it("accepts a text of finish as it is, or as the JSON in it", async () => {
    expect(readFinishResult("plain words")).toEqual({ candidates: ["plain words"] })
    const text = { outputSchema: { type: "string" } }
    expect(await resultText(text, readFinishResult("plain words"))).toBe('"plain words"')
    expect(await resultText({ outputSchema: { type: "array" } }, readFinishResult("[1]"))).toBe("[1]")
  })

  it("may have null for what is optional, as strict schemas require, unless the schema allows null", async () => {
    const note = { type: "object", properties: { version: { type: "string" }, note: { type: "string" } } }
    const text = '{"version":"1","note":null}'
    expect(await resultText({ outputSchema: note }, readResult(text))).toBe('{"version":"1"}')
    expect(await resultText({ outputSchema: { type: "object" } }, readResult(text))).toBe(text)
    const required = { outputSchema: { ...note, required: ["note"] } }
    expect(await resultText(required, readResult(text))).toBeUndefined()
    expect(await resultText({ outputSchema: note }, readFinishResult(JSON.parse(text)))).toBe('{"version":"1"}')
  })

  it("is checked by the draft that its schema names", async () => {
    const items = { items: [{ type: "integer" }] }
    const draft7 = { $schema: "http://json-schema.org/draft-07/schema#", ...items }
    expect(await resultProblem({ outputSchema: draft7 }, { candidates: [["x"]] })).toContain("must be integer")
    await expect(
      requireOutputSchema({ outputSchema: { $schema: "http://example.com/mine" } }, { owner: "a test" }),
    ).rejects.toThrow("cannot be used")
  })

  it("is not checked for longer than the time limit", async () => {
    const outputSchema = { type: "string", pattern: "^(a+)+$" }
    const problem = await resultProblem({ outputSchema }, { candidates: [`${"a".repeat(60)}b`] })
    expect(problem).toContain("longer than")
  })

  it("has a schema that is checked in a bounded queue of its caller, when a run starts", async () => {
    const start = (by: string) =>
      requireOutputSchema(
        { outputSchema: { pattern: "[" } },
        { ...checkTurnOf({ by, via: "http" }), waitMs: 600_000 },
      ).catch((error: unknown) => (isAdjutantError(error) ? error.code : error))
    const many = Array.from({ length: 60 }, () => start("ci"))
    const other = start("another token")
    const codes = await Promise.all(many)
    expect(new Set(codes)).toEqual(new Set(["invalid_argument", "rate_limited"]))
    // One is checked, and 32 wait.
    expect(codes.filter((code) => code === "rate_limited")).toHaveLength(27)
    expect(await other).toBe("invalid_argument")
  })

  it("cannot reach anything of the worker", async () => {
    const outputSchema = JSON.parse('{"properties": {"__proto__": {"type": "object", "default": {"polluted": true}}}}')
    await resultProblem({ outputSchema }, { candidates: [{}] })
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined()
  })
})

import { describe, expect, it } from "vitest"
import { elicitationText, readElicitationAnswer } from "../../../../domain/approval/elicitation-answer.ts"

const form = (properties: Record<string, unknown>, required: readonly string[] = Object.keys(properties)) => ({
  message: "Tell me",
  requestedSchema: { type: "object", properties, required },
})
const accepted = (content: unknown) => ({ ok: true, answer: { action: "accept", content } })
const refused = (problem: string) => ({ ok: false, problem })

const name = form({ name: { type: "string", description: "Who?" } })
const several = form({ city: { type: "string", enum: ["Rome", "Oslo"] }, nights: { type: "integer" } }, ["city"])

describe("elicitationAnswer turns a person's answer to a form into its content", () => {
  it.each([
    ["one field, in plain words", name, " Ada ", accepted({ name: "Ada" })],
    ["one field, as JSON", name, '{"name": "Ada"}', accepted({ name: "Ada" })],
    ["a number", form({ n: { type: "number" } }), "1.5", accepted({ n: 1.5 })],
    ["no number", form({ n: { type: "number" } }), "many", refused("n must be number")],
    ["a fraction for a whole number", form({ n: { type: "integer" } }), "1.5", refused("n must be integer")],
    ["yes", form({ sure: { type: "boolean" } }), "Yes", accepted({ sure: true })],
    ["no", form({ sure: { type: "boolean" } }), "n", accepted({ sure: false })],
    ["a list", form({ tags: { type: "array", items: { enum: ["a", "b"] } } }), "a, b", accepted({ tags: ["a", "b"] })],
    [
      "a list with an unknown element",
      form({ tags: { type: "array", items: { enum: ["a", "b"] } } }),
      "a, c",
      refused("tags must be array"),
    ],
    ["several fields, an optional one left out", several, '{"city": "Oslo"}', accepted({ city: "Oslo" })],
    ["a choice that does not exist", several, '{"city": "Paris"}', refused("city must be one of Rome, Oslo")],
    ["a missing field", several, '{"nights": 2}', refused("city is missing")],
    [
      "a field that the form does not have",
      several,
      '{"city": "Oslo", "admin": true}',
      refused("the form has no field admin"),
    ],
    ["several fields, in plain words", several, "Oslo", refused("the answer is not a JSON object")],
    ["no", name, "decline", { ok: true, answer: { action: "decline" } }],
    ["not now", name, " CANCEL", { ok: true, answer: { action: "cancel" } }],
    ["nothing to fill in", form({}), "yes", accepted({})],
    [
      "a URL that was opened",
      { message: "Log in", url: "https://example.org" },
      "done",
      { ok: true, answer: { action: "accept" } },
    ],
  ])("%s", (_, elicitation, text, expected) => {
    expect(readElicitationAnswer(elicitation, text)).toEqual(expected)
  })
})

describe("the question of an elicitation", () => {
  it("names the server that asks, its question, and how to answer", () => {
    expect(elicitationText(several, "travel")).toBe(
      'MCP server travel asks: Tell me\n- city (one of Rome, Oslo)\n- nights (integer, optional)\nAnswer with JSON, as {"city": …, "nights": …}, or with `decline`.',
    )
    expect(elicitationText(name, "docs")).toContain("- name (string): Who?\nAnswer with the value")
    expect(elicitationText({ message: "Log in", url: "https://example.org" }, "docs")).toContain(
      "Open https://example.org",
    )
  })
})

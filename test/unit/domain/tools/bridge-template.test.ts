import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { fillBridgeTemplate, parseBridgeTemplate } from "../../../../domain/tools/bridge-template.ts"
import { jsonProblem } from "../../../../domain/text/json/json-problem.ts"

const fill = (source: string, task: string, context = "") => {
  const parsed = parseBridgeTemplate(source)
  if (!parsed.ok) throw new Error(parsed.problem)
  return fillBridgeTemplate(parsed.template, { task, context })
}

const problemOf = (source: string): string => {
  const parsed = parseBridgeTemplate(source)
  return parsed.ok ? "none" : parsed.problem
}

describe("a filled template", () => {
  it("returns any text inside a string, character by character", () => {
    const text = fc.oneof(fc.string({ unit: "grapheme" }), fc.string({ unit: "binary" }))
    fc.assert(
      fc.property(text, text, (task, context) => {
        const source = '{"a": "{{task}}", "b": ["x {{ context }} y", {"{{task}}": "{{task}}{{context}}"}]}'
        const result = fill(source, task, context)
        expect(result).toEqual({
          ok: true,
          args: { a: task, b: [`x ${context} y`, Object.fromEntries([[task, task + context]])] },
        })
      }),
    )
  })

  it.each([
    ['say "hi"', 'say "hi"'],
    ["two\nlines\tand a \\ backslash", "two\nlines\tand a \\ backslash"],
    ["\u2028 \u0000 \ud800 🙂 {{context}}", "\u2028 \u0000 \ud800 🙂 {{context}}"],
    ['", "admin": true, "x": "', '", "admin": true, "x": "'],
  ])("keeps %j as one string", (task, expected) => {
    expect(fill('{"query": "{{task}}"}', task)).toEqual({ ok: true, args: { query: expected } })
  })

  it("reads a value without quotes as JSON", () => {
    expect(fill('{"n": {{task}}}', " 12 ")).toEqual({ ok: true, args: { n: 12 } })
    expect(fill('{"n":{{task}},"list":[{{context}}]}', '{"a":1}', "true")).toEqual({
      ok: true,
      args: { n: { a: 1 }, list: [true] },
    })
  })

  it("rejects a value without quotes that is not JSON or would add arguments", () => {
    expect(fill('{"n": {{task}}}', "twelve")).toMatchObject({ ok: false, problem: expect.stringContaining("{{task}}") })
    expect(fill('{"n": {{task}}}', '1, "admin": true')).toMatchObject({ ok: false })
    expect(fill("{ {{task}}: 1 }", "5")).toEqual({ ok: false, problem: "the filled-in template is not a JSON object" })
  })
})

describe("a template is rejected with the position of the mistake", () => {
  it.each([
    ['{"q": "{{tsk}}"}', "unknown name {{tsk}} (did you mean task?); use {{task}} or {{context}}, at line 1, column 8"],
    ['{\n  "q": "{{task"\n}', "the tag is not closed at line 2, column 9"],
    ['{"q": {{#task}}1{{/task}}}', "sections are not supported, at line 1, column 7"],
    ['{"q": "{{task}}{{/task}}"}', "sections are not supported, at line 1, column 16"],
    ['{"q": "{{}}"}', "unknown name {{}}; use {{task}} or {{context}}, at line 1, column 8"],
    ['{"q": "{{>task}}"}', "partials are not supported, at line 1, column 8"],
    ['{"q": "{{{task}}}"}', "unescaped values are not supported: write {{task}} or {{context}}, at line 1, column 8"],
    ['{"q": "{{&task}}"}', "unescaped values are not supported: write {{task}} or {{context}}, at line 1, column 8"],
    [
      '{"q": "{{task.length}}"}',
      "unknown name {{task.length}} (did you mean task?); use {{task}} or {{context}}, at line 1, column 8",
    ],
    ['{\n  "q": "{{task}}",\n}', "the text is not JSON: expected a name in double quotes at line 3, column 1"],
    ['{"q": "{{task}}"', "the text is not JSON: the text ends where `,` or `}` is expected at line 1, column 17"],
    ['{"q": 1{{task}}}', "the text is not JSON: expected `,` or `}` at line 1, column 8"],
    ['{"q": "\\u00{{task}}"}', "the text is not JSON: expected a value at line 1, column 7"],
    ['["{{task}}"]', "the text is not a JSON object, which tools require, at line 1, column 1"],
    ["", "the text is not JSON: the text ends where a value is expected at line 1, column 1"],
  ])("%s", (source, problem) => {
    expect(problemOf(source)).toBe(problem)
  })
})

describe("the JSON check", () => {
  it("agrees with the engine's own parser on any text", () => {
    const piece = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"',
      '"a"',
      "1",
      "-",
      "0",
      ".",
      "e",
      "true",
      "nul",
      "\\",
      " ",
      "\n",
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(piece).map((parts) => parts.join("")),
          fc.json(),
          fc.string(),
        ),
        (text) => {
          let valid = true
          try {
            JSON.parse(text)
          } catch {
            valid = false
          }
          expect(jsonProblem(text) === undefined).toBe(valid)
        },
      ),
      { numRuns: 500 },
    )
  })
})

import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { parseToolArguments, parseToolCalls, toRawArguments } from "../../../../models/answer/parse-tool-arguments.ts"

describe("parseToolArguments", () => {
  it.each(["{oops", '"text"', "[1]", "null", "12"])("keeps %s, which is not a JSON object, as text", (raw) => {
    expect(parseToolArguments(raw, true)).toEqual({ arguments: null, raw_arguments: raw })
  })

  // A model that wrote it failed its own activity again and again.
  it("keeps JSON nested 200,000 levels deep as text", () => {
    const raw = `${'{"a":'.repeat(200_000)}1${"}".repeat(200_000)}`
    expect(parseToolArguments(raw, true)).toEqual({ arguments: null, raw_arguments: raw })
  })

  it("reads an empty text as no arguments", () => {
    expect(parseToolArguments(" ", true)).toEqual({ arguments: {} })
  })

  it("does not read an empty text of an answer that was cut as no arguments", () => {
    expect(parseToolArguments("", false)).toEqual({ arguments: null, raw_arguments: "" })
    expect(toRawArguments({ id: "a", name: "Read", arguments: null, raw_arguments: "" })).toBe("{}")
  })

  it("never throws, and loses nothing", () => {
    fc.assert(
      fc.property(fc.string(), (raw) => {
        const call = { id: "a", name: "Read", ...parseToolArguments(raw, true) }
        expect(call.arguments === null ? toRawArguments(call) : raw).toBe(raw)
      }),
    )
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (args) => {
        const raw = JSON.stringify(args)
        expect(toRawArguments({ id: "a", name: "Read", ...parseToolArguments(raw, true) })).toBe(raw)
      }),
    )
  })
})

describe("parseToolCalls", () => {
  it("makes ids unique, derives missing ones from the turn and names calls without a name", () => {
    const call = (id: string | undefined, name = "Read") => ({ id, name, rawArguments: "{}" })
    const ids = parseToolCalls([call("x"), call("x"), call("x~2"), call(undefined), call("", "")], 4, true)
    expect(ids.map(({ id, name }) => [id, name])).toEqual([
      ["x", "Read"],
      ["x~2", "Read"],
      ["x~2~2", "Read"],
      ["call_4_4", "Read"],
      ["call_4_5", "unnamed_tool"],
    ])
  })

  it("gives every call of one answer its own id, whatever the provider sent", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("a", "a~2", "a~3", "", undefined, "call_1_1", "call_1_2")), (ids) => {
        const calls = parseToolCalls(
          ids.map((id) => ({ id, name: "Read", rawArguments: "" })),
          1,
          true,
        )
        expect(new Set(calls.map((call) => call.id)).size).toBe(ids.length)
      }),
    )
  })
})

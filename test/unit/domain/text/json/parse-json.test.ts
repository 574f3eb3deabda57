import { describe, expect, it } from "vitest"
import { isNestedTooDeep, nestsTooDeep, parseJson } from "../../../../../domain/text/json/parse-json.ts"

const depth = 200_000
const nested = `${"[".repeat(depth)}${"]".repeat(depth)}`

// It was parsed and then read recursively, which used up the stack.
describe("JSON nested 200,000 levels deep", () => {
  it("is recognised in texts and in values, and other JSON is not", () => {
    expect(nestsTooDeep(nested)).toBe(true)
    expect(isNestedTooDeep(JSON.parse(nested))).toBe(true)
    const flat = JSON.stringify({ text: `${"[{".repeat(500)}\\"`, list: Array.from({ length: 1_000 }, () => [{}]) })
    expect(parseJson(flat)).toEqual(JSON.parse(flat))
    expect(isNestedTooDeep(JSON.parse(flat))).toBe(false)
  })
})

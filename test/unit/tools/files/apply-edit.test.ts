import * as fc from "fast-check"
import { expect, test } from "vitest"
import { applyEdit, findOccurrences } from "../../../../tools/files/apply-edit.ts"

test("replaces a text that occurs once", () => {
  expect(applyEdit("a\nb\nc\n", { old_string: "b", new_string: "B" })).toEqual({ text: "a\nB\nc\n", count: 1, at: 2 })
})

test("rejects an ambiguous text with the number of places and their lines", () => {
  expect(() => applyEdit("x\ny\nx\n", { old_string: "x", new_string: "z" })).toThrow("occurs 2 times (at line 1, 3)")
})

test("treats overlapping places as ambiguous", () => {
  expect(() => applyEdit("aaa", { old_string: "aa", new_string: "b" })).toThrow("occurs 2 times")
})

test("changes every place with replace_all", () => {
  expect(applyEdit("x\ny\nx", { old_string: "x", new_string: "z", replace_all: true })).toMatchObject({
    text: "z\ny\nz",
    count: 2,
  })
})

test("takes special replacement patterns literally", () => {
  expect(applyEdit("a", { old_string: "a", new_string: "$& $1 $$" }).text).toBe("$& $1 $$")
})

test("rejects equal texts, even if they differ in line ends", () => {
  expect(() => applyEdit("a", { old_string: "a", new_string: "a" })).toThrow("nothing would change")
  expect(() => applyEdit("a\n", { old_string: "a\r\n", new_string: "a\n" })).toThrow("nothing would change")
})

test("keeps Windows line ends, whichever line ends the edit has", () => {
  const text = "one\r\ntwo\r\nthree\r\n"
  const expected = "one\r\n2\r\n2b\r\nthree\r\n"
  expect(applyEdit(text, { old_string: "two\n", new_string: "2\n2b\n" }).text).toBe(expected)
  expect(applyEdit(text, { old_string: "two\r\n", new_string: "2\r\n2b\r\n" }).text).toBe(expected)
})

test("keeps every line end of a mixed file that the edit does not touch", () => {
  expect(applyEdit("a\nb\r\nc\r\nd\n", { old_string: "b\nc", new_string: "x\ny" }).text).toBe("a\nx\ny\r\nd\n")
})

test("points out a text that differs only in white space, with its lines", () => {
  const text = "function f() {\n\treturn 1\n}\n"
  const attempt = () => applyEdit(text, { old_string: "function f() {\n  return 1\n}", new_string: "x" })
  expect(attempt).toThrow("lines 1 to 3 differ from it only in white space")
  expect(attempt).toThrow("\t\treturn 1")
})

test("points out line numbers copied from Read", () => {
  expect(() => applyEdit("a\nb\n", { old_string: "     1\ta\n     2\tb", new_string: "x" })).toThrow("line numbers")
})

test("points out escapes written as two characters", () => {
  expect(() => applyEdit("a\nb\n", { old_string: "a\\nb", new_string: "x" })).toThrow("write those characters")
})

test("points out different upper and lower case", () => {
  expect(() => applyEdit("x\nHello\n", { old_string: "hello", new_string: "x" })).toThrow("line 2 contains it")
})

const lines = fc.array(fc.constantFrom("a", "b", "aa", "é", "", "  a"), { maxLength: 12 })
const ends = fc.array(fc.constantFrom("\n", "\r\n"), { minLength: 12, maxLength: 12 })
const piece = fc
  .array(fc.constantFrom("a", "b", "\n", "é", " "), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join(""))
const unix = (text: string): string => text.replaceAll("\r\n", "\n")

test("property: apart from carriage returns, an edit gives the same text as a plain replacement", () => {
  fc.assert(
    fc.property(lines, ends, piece, piece, (content, lineEnds, old_string, new_string) => {
      const text = content.map((line, index) => line + lineEnds[index]).join("")
      fc.pre(old_string !== new_string && unix(text).includes(old_string))
      const edited = applyEdit(text, { old_string, new_string, replace_all: true })
      expect(unix(edited.text)).toBe(unix(text).split(old_string).join(new_string))
      expect(edited.count).toBe(unix(text).split(old_string).length - 1)
    }),
    { numRuns: 1_000 },
  )
})

test("property: a single edit leaves every byte before and after it unchanged", () => {
  fc.assert(
    fc.property(lines, ends, lines, fc.constantFrom("X", "X\nY", ""), (before, lineEnds, after, new_string) => {
      const join = (all: readonly string[]): string => all.map((line, index) => line + lineEnds[index]).join("")
      const text = `${join(before)}<<target>>${join(after)}`
      const edited = applyEdit(text, { old_string: "<<target>>", new_string })
      expect(edited.text.startsWith(join(before))).toBe(true)
      expect(edited.text.endsWith(join(after))).toBe(true)
      expect(edited.at).toBe(join(before).length)
    }),
    { numRuns: 500 },
  )
})

// A search in quadratic time would take hours here, and block the worker.
test.each([
  ["that occurs everywhere", "a".repeat(4_000_000), "a".repeat(1_000_000)],
  ["that almost occurs everywhere", "a".repeat(4_000_000), `b${"a".repeat(1_000_000)}`],
  ["of empty lines", `${"\n".repeat(1_000_000)}x`, `${"\n".repeat(400_000)}y`],
])("searches for a long text %s in linear time", (_, text, old_string) => {
  expect(() => applyEdit(text, { old_string, new_string: "c" })).toThrow(/occurs 1000 or more times|was not found/)
})

test("refuses to let a replacement multiply a file", () => {
  const edit = { old_string: "a", new_string: "b".repeat(1_000_000), replace_all: true }
  expect(() => applyEdit("a".repeat(1_000), edit)).toThrow("the file would have more than")
  expect(() => applyEdit("a".repeat(2_000_000), { ...edit, new_string: "b" })).toThrow("1000000 times or more")
})

test("gives the same occurrences as a search with indexOf", () => {
  const letters = (seed: number, length: number): string =>
    Array.from({ length }, (_, at) => "ab"[((seed * 31 + at * at * 7) >> 2) & 1]).join("")
  for (let seed = 0; seed < 200; seed += 1) {
    const [text, wanted] = [letters(seed, 60), letters(seed + 3, 1 + (seed % 5))]
    const expected: number[] = []
    for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) expected.push(at)
    expect(findOccurrences(text, wanted, { overlapping: true, max: 100 })).toEqual(expected)
    const apart = text.split(wanted).length - 1
    expect(findOccurrences(text, wanted, { overlapping: false, max: 100 })).toHaveLength(apart)
  }
})

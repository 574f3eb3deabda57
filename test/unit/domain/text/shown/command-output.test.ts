import { expect, it } from "vitest"
import { lastLines, newLines } from "../../../../../domain/text/shown/command-output.ts"

it.each([
  ["", "one\ntwo\n", "one\ntwo\n"],
  ["one\ntwo\n", "one\ntwo\nthree\nfo", "three\n"],
  ["one\ntwo\n", "two\nthree\n", "three\n"],
  ["one\ntwo\n", "nine\nten\n", "nine\nten\n"],
  ["one\n", "one\n", ""],
  ["", "no end of a line", ""],
])("after %j, the output %j has the new lines %j", (before, after, fresh) => {
  expect(newLines(before, after)).toBe(fresh)
})

it("shows the last lines of an output", () => {
  expect(lastLines("1\n2\n3\n\n", 2)).toBe("2\n3")
})

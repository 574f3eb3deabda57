import { describe, expect, it } from "vitest"
import { diffLines } from "../../../domain/preview/diff-lines.ts"
import { changedWords } from "../../../web/shown/changed-words.ts"

/** Returns each line with its changed words in brackets; lines without a counterpart as they are. */
const marked = (...texts: readonly string[]): readonly string[] => {
  const lines = diffLines(texts.join("\n"))
  const words = changedWords(lines)
  return lines.map(({ text }, index) => {
    const parts = words.get(index)
    if (parts === undefined) return text
    const whole = parts.map((part) => (part.isChanged ? `[${part.text}]` : part.text)).join("")
    expect(parts.map((part) => part.text).join("")).toBe(text.slice(1))
    return `${text.slice(0, 1)}${whole}`
  })
}

describe("the changed words of a diff", () => {
  it("are marked in lines that replace others, in their order", () => {
    expect(marked(" a", "-  attempts: 3,", "-  wait: 100 ms", "+  attempts: 5,", "+  wait: 200 ms", " b")).toEqual([
      " a",
      "-  attempts: [3],",
      "-  wait: [100] ms",
      "+  attempts: [5],",
      "+  wait: [200] ms",
      " b",
    ])
  })

  it("are not marked where it is not known which line replaces which, or where a line is another one", () => {
    const uneven = ["-one two three", "+one two four", "+one two five"]
    expect(marked(...uneven)).toEqual(uneven)
    const other = ["-const retries = 3", "+export class Queue {"]
    expect(marked(...other)).toEqual(other)
    const added = ["+only new", " same", "-only old"]
    expect(marked(...added)).toEqual(added)
  })

  it("are not looked for in long lines", () => {
    const long = [`-${"x ".repeat(800)}a`, `+${"x ".repeat(800)}b`]
    expect(marked(...long)).toEqual(long)
  })
})

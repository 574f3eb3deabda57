import { expect, it } from "vitest"
import { terminalLines } from "../../../../scripts/pictures/terminal-lines.ts"
import { terminalSvg } from "../../../../scripts/pictures/terminal-svg.ts"

const textsOf = (written: string): readonly string[] =>
  terminalLines(written).map((pieces) => pieces.map(({ text }) => text).join(""))

it("shows what a terminal shows: a status that was replaced is gone", () => {
  expect(textsOf("task abc\r\nworking … 1 s\r\u001b[Kworking … 2 s\r\u001b[Kdone  \r\nend")).toEqual([
    "task abc",
    "done",
    "end",
  ])
  expect(textsOf("abcdef\rxy")).toEqual(["xycdef"])
})

it("keeps colours and weights, and joins what is alike", () => {
  expect(terminalLines("\u001b[1mSum\u001b[22m of \u001b[32m+1\u001b[39m\u001b[32m+2\u001b[0m.")).toMatchObject([
    [
      { text: "Sum", isBold: true },
      { text: " of ", isBold: false, colour: undefined },
      { text: "+1+2", colour: "green" },
      { text: ".", colour: undefined },
    ],
  ])
})

it("refuses a control sequence that it cannot draw", () => {
  expect(() => terminalLines("a\u001b[2Jb")).toThrow("[2J")
})

it("draws texts at their columns, as text", () => {
  const svg = terminalSvg("a <b>\r\n  \u001b[31m-x\u001b[39m\r\n", { columns: 10, label: 'A "picture"' })
  expect(svg).toContain('aria-label="A &quot;picture&quot;"')
  expect(svg).toContain(">a &lt;b&gt;</text>")
  expect(svg).toMatch(/<text x="34\.8" y="[\d.]+" textLength="16\.8" [^>]*fill="#f2938a">-x<\/text>/)
  expect(svg.match(/<text /g)).toHaveLength(2)
})

import { describe, expect, it } from "vitest"
import { trackedTexts } from "../../../scripts/checks/tracked-texts.ts"

const texts = trackedTexts()
const page = texts.find(({ file }) => file === "docs/troubleshoot.md")?.text ?? ""
const sourceLines = texts
  .filter(({ file }) => /^(?:[a-z-]+)\/.*\.[jt]s$/.test(file) && !/^(?:test|bench|scripts|docs|examples)\//.test(file))
  .flatMap(({ text }) => text.split("\n"))

/** Returns an expression for a quoted message, in which `…` matches any text. */
const expressionOf = (quote: string): RegExp =>
  new RegExp(quote.replaceAll(/[\^$.*+?()[\]{}|]/g, String.raw`\$&`).replaceAll("…", ".*"))

/** Returns the sections of a page, each with the messages that it quotes. */
const sectionsOf = (markdown: string) =>
  markdown
    .split(/^## /m)
    .slice(1)
    .map((section) => ({
      heading: section.slice(0, section.indexOf("\n")),
      quotes: [...section.matchAll(/^```text\n([^]*?)^```/gm)].flatMap(([, block = ""]) => block.trimEnd().split("\n")),
      section,
    }))

const sections = sectionsOf(page)

describe("docs/troubleshoot.md", () => {
  it("has errors", () => {
    expect(sections.length).toBeGreaterThan(20)
  })

  it.each(sections)("quotes messages of the sources: $heading", ({ quotes }) => {
    expect(quotes.length).toBeGreaterThan(0)
    expect(quotes.filter((quote) => !sourceLines.some((line) => expressionOf(quote).test(line)))).toEqual([])
  })

  it.each(sections)("has a cause and a fix: $heading", ({ section }) => {
    expect(section).toMatch(/^Cause: \S[^]*^Fix: \S/m)
  })
})

it("finds quotes, with any text for an ellipsis", () => {
  const [found] = sectionsOf("# Page\n\n## Heading\n\n```text\nno model … here\n```\n")
  expect(found?.quotes).toEqual(["no model … here"])
  expect(expressionOf("no model … here").test("fail(`no model ${name} is here`)")).toBe(true)
  expect(expressionOf("no model (x)").test("no model x")).toBe(false)
})

import { describe, expect, it } from "vitest"
import { checkLanguage } from "../../../scripts/language/language-rules.ts"
import { phrases, phrasesIn } from "../../../scripts/language/phrases.ts"
import { readPage } from "../../../scripts/language/read-page.ts"
import { readSource } from "../../../scripts/language/read-source.ts"
import { readTexts } from "../../../scripts/language/read-texts.ts"

describe("the project's texts", { timeout: 120_000 }, () => {
  const texts = readTexts()
  const problems = checkLanguage(texts)

  it("are all read", () => {
    const files = new Set(texts.map(({ file }) => file))
    expect(files).toContain("README.md")
    expect(files).toContain("Dockerfile")
    expect(files.size).toBeGreaterThan(900)
    const kinds = Map.groupBy(texts, ({ kind }) => kind)
    for (const kind of ["comment", "docstring", "string", "error", "help", "page"] as const)
      expect(kinds.get(kind)?.length ?? 0, kind).toBeGreaterThan(20)
  })

  it("break no rule", () => {
    expect(problems.map(({ file, line, rule, text }) => `${file}:${line} ${rule}: ${text}`)).toEqual([])
  })
})

const found = (source: string, file = "cli/program/x.ts"): readonly string[] =>
  checkLanguage(readSource(file, source)).map(({ line, rule }) => `${line} ${rule}`)

describe("a phrase", () => {
  it("has a replacement that breaks no rule itself", () => {
    expect(phrases.filter(({ instead }) => instead === "" || phrasesIn(instead).length > 0)).toEqual([])
  })

  it("is found in comments, strings, templates and over line breaks", () => {
    expect(found("// whoever asks\nconst a = 1")).toEqual(["1 phrase"])
    expect(found("\n/**\n * The pause\n * goes\n * on.\n */\nconst a = 1")).toEqual(["4 phrase"])
    expect(found('const a = "this goes on"')).toEqual(["1 phrase"])
    expect(found("const a = `${b} goes on: ${c}`")).toEqual(["1 phrase"])
    expect(found('it("hears why", () => undefined)', "test/unit/x.test.ts")).toEqual(["1 phrase"])
  })

  it("is not found in names and in other words", () => {
    expect(found("const whoever = wantsMore // once, moreover")).toEqual([])
    expect(found("// there is no file, and it is no longer read")).toEqual([])
  })

  it("is found in the prose of a page, not in its code", () => {
    const page = "# Title\n\nThe session goes\non. `whoever`\n\n```sh\nwhoever\n```\n"
    expect(checkLanguage(readPage("docs/x.md", page)).map(({ line, rule }) => `${line} ${rule}`)).toEqual(["3 phrase"])
  })

  it("is found in the comments of a file of another language", () => {
    const texts = readPage("docker-compose.yml", "# first\nwhoever: 1\n  # whoever\n")
    expect(checkLanguage(texts).map(({ line }) => line)).toEqual([3])
  })
})

describe("an error", () => {
  it.each([
    ['new AdjutantError("invalid_argument", "call call_7 is not pending; run \\"adjutant approvals\\"")'],
    ['new Error("TEMPORAL_ADDRESS is not set")'],
    ['new Error("PostgreSQL ended")'],
    ["new Error(`${program} cannot be started`)"],
    ['refuse("invalid_argument", "the directory does not exist")'],
  ])("has the form of a message: %s", (call) => {
    expect(found(`throw ${call}`)).toEqual([])
  })

  it.each([
    ['new AdjutantError("invalid_argument", "The text is missing")', 1],
    ['new Error("the text is missing.")', 1],
    ["new Error(`${name} is missing. Set it`)", 1],
    ['refuse("invalid_argument", a ? "Please set it" : "it is set")', 2],
    ['new Error("the first part " + "The second.")', 1],
  ])("has another form: %s", (call, count) => {
    expect(found(`throw ${call}`)).toEqual(Array.from({ length: count }, () => "1 error-form"))
  })
})

describe("a docstring of an exported function", () => {
  it.each(["Returns the first.", "Atomically replaces it.", "@throws RangeError"])("starts with a verb: %s", (text) => {
    expect(found(`/** ${text} */\nexport const first = () => 1`)).toEqual([])
  })

  it.each(["The first.", "Whether it is the first.", "Sessions of a tree.", "Return the first."])(
    "starts with another word: %s",
    (text) => {
      expect(found(`/** ${text} */\nexport const first = () => 1`)).toEqual(["1 docstring-verb"])
      expect(found(`/** ${text} */\nexport function first() {}`)).toEqual(["1 docstring-verb"])
      expect(found(`/** ${text} */\nexport const first = 1`)).toEqual([])
      expect(found(`/** ${text} */\nconst first = () => 1`)).toEqual([])
    },
  )
})

describe("a help text", () => {
  it("starts with a verb in the imperative", () => {
    expect(
      found('command.description("Approve pending calls").option("-a, --all", "Approve every call", false)'),
    ).toEqual([])
    expect(found('command.description("Approves pending calls")')).toEqual(["1 help-verb"])
    expect(found('command.option("-a, --all", "every call")')).toEqual(["1 help-verb"])
    expect(found('const a = [{ summary: "a list" }]', "cli/command-table.ts")).toEqual(["1 help-verb"])
  })
})

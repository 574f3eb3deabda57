import { describe, expect, it } from "vitest"
import { checkLanguage } from "../../../scripts/language/language-rules.ts"
import { readSource } from "../../../scripts/language/read-source.ts"
import { readTexts } from "../../../scripts/language/read-texts.ts"

describe("the project's texts", { timeout: 120_000 }, () => {
  const texts = readTexts()
  const problems = checkLanguage(texts)

  it("are all read", () => {
    expect(new Set(texts.map(({ file }) => file)).size).toBeGreaterThan(700)
    const kinds = Map.groupBy(texts, ({ kind }) => kind)
    for (const kind of ["error", "help"] as const) expect(kinds.get(kind)?.length ?? 0, kind).toBeGreaterThan(20)
  })

  it("break no rule", () => {
    expect(problems.map(({ file, line, rule, text }) => `${file}:${line} ${rule}: ${text}`)).toEqual([])
  })
})

const found = (source: string, file = "cli/program/x.ts"): readonly string[] =>
  checkLanguage(readSource(file, source)).map(({ line, rule }) => `${line} ${rule}`)

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

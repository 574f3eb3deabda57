import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import path from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { parseDocument } from "yaml"
import { parseConfig } from "../../../../../config/parse-config.ts"
import { findUnconfinedScripts } from "../../../../../config/trust/find-unconfined-scripts.ts"
import { maxJsonDepth } from "../../../../../domain/text/json/parse-json.ts"
import { parseYaml, yamlValue } from "../../../../../domain/text/foreign/parse-yaml.ts"
import { parseSkill } from "../../../../../sessions/notes/parse-skill.ts"
import { parseScript } from "../../../../../models/scripted/parse-script.ts"

// YAML that nests 200,000 levels deep kept the parser busy for half a minute, and then used up the stack: in a cloned
// repository, every command did so before it asked whether the project is trusted.

const depth = 200_000

const shapes: readonly (readonly [string, string])[] = [
  ["flow sequences", `a: ${"[".repeat(depth)}${"]".repeat(depth)}`],
  ["flow sequences that nothing closes", `a: ${"[".repeat(depth)}`],
  ["flow mappings", `a: ${"{a: ".repeat(depth)}`],
  ["sequences", `${"- ".repeat(depth)}a`],
  ["keys", `${"? ".repeat(depth)}a`],
  ["mappings", Array.from({ length: 2_000 }, (_, level) => `${" ".repeat(level)}a:`).join("\n")],
  ["a second document", `a: 1\n---\n${"[".repeat(depth)}`],
]

/** Each anchor contains the one before it, so that the text is flat and the value is not. */
const aliases = Array.from({ length: 1_000 }, (_, at) => `  - &a${at} [${at === 0 ? "" : `*a${at - 1}`}]`).join("\n")

describe.each(shapes)("YAML with too deep %s", (_, source) => {
  it("is refused as a configuration", () => {
    expect(() => parseConfig(source, "adjutant.config.yaml")).toThrow(
      /^adjutant\.config\.yaml:\d+: the YAML nests deeper than 200 levels$/,
    )
  })

  it("is not a skill", () => {
    const skill = `---\nname: deep\ndescription: Nests.\nmore: ${depth}\n---\n`
    expect(parseSkill(skill, "deep")).toMatchObject({ name: "deep" })
    expect(
      parseSkill(skill.replace("more: ", `more:\n${source.replaceAll("---", "")}\nrest: `), "deep"),
    ).toBeUndefined()
  })

  it("is refused as a script", () => {
    expect(() => parseScript(source, "script.yaml")).toThrow(/^script\.yaml:\d+: the YAML nests deeper than 200 levels/)
  })
})

it("counts the levels that aliases add", () => {
  expect(() => parseConfig(`a:\n${aliases}\n`, "c.yaml")).toThrow(
    /^c\.yaml: the YAML aliases .* deeper than 200 levels$/,
  )
  expect(() => parseScript(`a:\n${aliases}\n`, "s.yaml")).toThrow(/^s\.yaml:1: the YAML nests deeper than 200 levels/)
})

it("is read no further where scripts are searched for commands: the scripted model refuses such a script", async () => {
  const projectRoot = mkdtempSync(path.join(tmpdir(), "adjutant-deep-"))
  onTestFinished(() => rmSync(projectRoot, { recursive: true }))
  writeFileSync(path.join(projectRoot, "script.yaml"), `a: ${"[".repeat(depth)}`)
  const config = parseConfig("models: {main: {provider: scripted, script: script.yaml}}", "c.yaml")
  expect(await findUnconfinedScripts({ config, projectRoot })).toEqual(new Set())
})

it("is read as before up to the limit", () => {
  const flow = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`
  expect(yamlValue(parseYaml(flow(maxJsonDepth)))).toEqual(JSON.parse(flow(maxJsonDepth)))
  expect(() => yamlValue(parseYaml(flow(maxJsonDepth + 1)))).toThrow("deeper than 200 levels")
  expect(parseYaml(flow(maxJsonDepth + 2)).errors).toHaveLength(1)
  const source = "# a\na: &x {b: [1, 'c', \"d\"]}\ne:\n  - f: |\n      text\n    g: *x\n"
  expect(yamlValue(parseYaml(source))).toEqual({
    a: { b: [1, "c", "d"] },
    e: [{ f: "text\n", g: { b: [1, "c", "d"] } }],
  })
  expect(yamlValue(parseYaml(""))).toBeNull()
  expect(parseYaml("a: 1\n---\nb: 2\n").errors.map(({ message }) => message)).toEqual([
    "the YAML contains more than one document",
  ])
})

// The parser compared each key of a map with all keys before it: a script of 4 MiB in a cloned repository kept every
// command busy for hours, before it asked whether the project is trusted.

const count = 60_000

it.each([
  ["lines", "\n", "", ""],
  ["a flow mapping", ", ", "{", "}"],
])("reads many keys in %s in one pass", (_, separator, start, end) => {
  const source = start + Array.from({ length: count }, (__, at) => `k${at}: 1`).join(separator) + end
  const document = parseYaml(source)
  expect(document.errors).toEqual([])
  expect(Object.keys(Object(yamlValue(document)))).toHaveLength(count)
})

it.each([
  "a: 1\nb: 2\na: 3\n",
  "{a: 1, 'a': 2}",
  "x:\n  - {1: a, 1: b}\n  - ? c\n    ? c\n",
  "? [a]\n? [a]\n&x 1: a\n&y 1: b\n",
  "a: 1\na: [\n",
  "1: a\n'1': b\nnull: c\n'null': d\n",
])("names keys that occur twice where the parser did: %j", (source) => {
  const facts = ({ errors }: Pick<ReturnType<typeof parseDocument>, "errors">) =>
    errors.map(({ code, message, pos }) => ({ code, message, pos }))
  expect(facts(parseYaml(source))).toEqual(facts(parseDocument(source, { prettyErrors: false })))
})

it("refuses more than a thousand aliases, each of which is searched in the whole document", () => {
  const source = Array.from({ length: 1_001 }, (_, at) => `- &a${at} x\n- *a${at}`).join("\n")
  expect(parseYaml(source).errors.map(({ message }) => message)).toEqual(["the YAML contains more than 1000 aliases"])
  expect(parseYaml(source.slice(0, source.lastIndexOf("\n"))).errors).toEqual([])
})

import { readFileSync } from "node:fs"
import path from "node:path"
import { describe, expect, it } from "vitest"
import { commandTable } from "../../../cli/command-table.ts"
import { environmentGroups } from "../../../config/environment-variables.ts"
import { declaredProgram } from "../../../scripts/reference/cli-page.ts"
import { commonKeys } from "../../../scripts/reference/common-keys.ts"
import { configPaths, undescribedKeys } from "../../../scripts/reference/configuration-page.ts"
import { referencePages } from "../../../scripts/reference/reference-pages.ts"
import { readProductSources } from "../../../scripts/structure/product-sources.ts"

const root = path.resolve(import.meta.dirname, "../../..")
const pages = await referencePages()

describe("docs/reference", () => {
  it.each(pages)("has $file as the sources say; if not, run node scripts/write-reference.ts", ({ file, text }) => {
    expect(readFileSync(path.join(root, file), "utf8")).toBe(text)
  })
})

describe("the option --server", () => {
  it("names every command that works with it", async () => {
    const { options } = await declaredProgram()
    const { description = "" } = options.find(({ long }) => long === "--server") ?? {}
    const [, named = ""] = /, for (.*) \(default/.exec(description) ?? []
    const supported = commandTable.filter(({ overHttp }) => overHttp === true).map(({ name }) => name)
    expect(named.split(/, | and /).toSorted()).toEqual(supported.toSorted())
  })
})

describe("the configuration", () => {
  it("has the keys that most people set", () => {
    const paths = new Set(configPaths())
    expect(
      Object.values(commonKeys)
        .flat()
        .filter((key) => !paths.has(key)),
    ).toEqual([])
  })

  it("names every key in the reference", () => {
    const text = pages.find(({ file }) => file.endsWith("configuration.md"))?.text ?? ""
    expect(configPaths().filter((key) => !text.includes(`- \`${key}\`: `))).toEqual([])
  })

  it("describes every key", () => {
    expect(undescribedKeys()).toEqual([])
  })
})

/** Variables that the product sets for the programs that it starts, or looks for in their settings, and does not read itself. */
const setForChildren = [
  "ADJUTANT_OWNER",
  "ADJUTANT_COMMAND",
  "ADJUTANT_DOCKER_ENV",
  "NODE_PATH",
  "NODE_USE_ENV_PROXY",
  "NODE_USE_SYSTEM_CA",
  "LC_ALL",
  "TZ",
  "LANG",
  "TMPDIR",
]

const declared = environmentGroups.flatMap(({ variables }) => variables.map(({ name }) => name))

/** Prefixes of names, in patterns. */
const beginnings = ["ADJUTANT_DOCKER", "TEMPORAL_TLS"]

/** Returns the names of environment variables that a source mentions outside of comments. */
const variablesIn = (source: string): readonly string[] => {
  const code = source.replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, "")
  const byPrefix = code.matchAll(
    /\b(?:(?:ADJUTANT|LLM|LIGHT_LLM|TEMPORAL|ANTHROPIC|OPENAI|XDG|DOCKER|NODE)_[A-Z0-9_]*[A-Z0-9]|PG[A-Z]{3,})\b/g,
  )
  const byAccess = code.matchAll(/\b(?:env|environment|source)(?:\.|\[["'])([A-Z][A-Z0-9_]+)/g)
  return [...new Set([...[...byPrefix].map(([name]) => name), ...[...byAccess].map(([, name]) => name ?? "")])]
}

describe("the table of environment variables", () => {
  const sources = [
    ...readProductSources(root).filter(({ file }) => file !== "config/environment-variables.ts"),
    { file: "bin/adjutant.js", text: readFileSync(path.join(root, "bin/adjutant.js"), "utf8") },
  ]

  it("finds the variables that a source reads", () => {
    const source =
      'env["HOME"] ?? env.USER\nenvValue(env, "ADJUTANT_NEW")\n// env.NOT_READ\n/** `LLM_NONE` */ process.env.PGHOST'
    expect(variablesIn(source)).toEqual(["ADJUTANT_NEW", "PGHOST", "HOME", "USER"])
  })

  it.each(sources)("has every variable that $file reads", ({ text }) => {
    expect(variablesIn(text).filter((name) => ![...declared, ...setForChildren, ...beginnings].includes(name))).toEqual(
      [],
    )
  })

  it("has no variable twice, and none that no source mentions", () => {
    expect(new Set(declared).size).toBe(declared.length)
    const readByTemporal = declared.filter((name) => name.startsWith("TEMPORAL_"))
    const mentioned = new Set(sources.flatMap(({ text }) => [...text.matchAll(/[A-Z][A-Z_]+/g)].map(([name]) => name)))
    const composed = ["LIGHT_LLM_MODEL_ID"]
    expect(
      declared.filter((name) => !mentioned.has(name) && !readByTemporal.includes(name) && !composed.includes(name)),
    ).toEqual([])
  })
})

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { conceptFiles, namesFile } from "../../../scripts/structure/concept-files.ts"
import { type Deviations, deviationsOf } from "../../../scripts/structure/deviations.ts"
import { importsOf } from "../../../scripts/structure/import-graph.ts"
import { measureStructure } from "../../../scripts/structure/measure-structure.ts"
import { readProductSources } from "../../../scripts/structure/product-sources.ts"

const root = path.resolve(import.meta.dirname, "../../..")

/** The linter checks the length of functions and files. */
const rules = ["filesInCircles", "crowdedFolders", "tinyFiles", "repeatedDeclarations"] as const

describe("the product", () => {
  const measures = measureStructure(root)
  const deviations = deviationsOf(measures)

  it("is read completely, and every relative import in it resolves", () => {
    const files = new Set(measures.files)
    expect(files.size).toBeGreaterThan(500)
    expect(measures.edges.length).toBeGreaterThan(files.size)
    expect(measures.edges.filter(({ to }) => !files.has(to))).toEqual([])
  })

  it.each(rules)("passes the rule: %s", (rule) => {
    expect(deviations[rule]).toEqual([])
  })

  it("needs every file in the list of tiny concept files", () => {
    const isNeeded = (key: string) => measures.tiny.some(({ file }) => namesFile(key, file))
    expect(Object.keys(conceptFiles).filter((key) => !isNeeded(key))).toEqual([])
  })
})

describe("a small tree", () => {
  let workspace: string

  beforeAll(async () => {
    workspace = await mkdtemp(path.join(tmpdir(), "adjutant-structure-"))
  })

  afterAll(async () => {
    await rm(workspace, { recursive: true, force: true })
  })

  const long = Array.from({ length: 20 }, (_, line) => `// line ${line}\n`).join("")

  const correct: Readonly<Record<string, string>> = {
    "tsconfig.build.json": JSON.stringify({ include: ["rules/**/*.ts", "ways/**/*.ts"] }),
    "rules/limit.ts": `export interface Limit { readonly max: number }\nexport const max = 3\n${long}`,
    "spawn/turns.ts": `export const agent = "named in the list of concepts"\n`,
    "rules/shared.ts": `export const shared = "imported twice"\n`,
    "ways/first.ts": `import { max, type Limit } from "../rules/limit.ts"\nimport { agent } from "../spawn/turns.ts"\nimport { shared } from "../rules/shared.ts"\n// import "./second.ts"\n`,
    "ways/second.ts": `import { shared } from "../rules/shared.ts"\nconst text = 'import "./first.ts"'\n`,
    "test/limit.test.ts": `import { max } from "../rules/limit.ts"\nexport const max = 3\n`,
  }

  const deviationsWith = async (name: string, files: Readonly<Record<string, string>>): Promise<Deviations> => {
    const home = path.join(workspace, name)
    for (const [file, text] of Object.entries({ ...correct, ...files })) {
      await mkdir(path.dirname(path.join(home, file)), { recursive: true })
      await writeFile(path.join(home, file), text)
    }
    return deviationsOf(measureStructure(home))
  }

  const none: Deviations = {
    filesInCircles: [],
    crowdedFolders: [],
    tinyFiles: [],
    repeatedDeclarations: [],
  }

  it("passes every rule when it is built correctly", async () => {
    expect(await deviationsWith("correct", {})).toEqual(none)
  })

  it("counts only the files that the build compiles", async () => {
    await deviationsWith("files", {})
    const files = readProductSources(path.join(workspace, "files")).map(({ file }) => file)
    expect(files).toEqual(
      Object.keys(correct)
        .filter((file) => /^(rules|ways)\//.test(file))
        .toSorted(),
    )
  })

  it.each([
    ["types", `import type { Back } from "../ways/back.ts"\n`],
    ["re-exports", `export * from "../ways/back.ts"\n`],
    ["dynamic imports", `const load = async () => await import("../ways/back.ts")\n`],
  ])("fails a rule when imports form a circle by %s", async (kind, back) => {
    const found = await deviationsWith(`circle ${kind}`, {
      "rules/forth.ts": `${back}${long}`,
      "ways/back.ts": `import { forth } from "../rules/forth.ts"\n${long}`,
      "ways/outside.ts": `import { Back } from "./back.ts"\n`,
    })
    expect(found).toEqual({ ...none, filesInCircles: ["rules/forth.ts", "ways/back.ts"] })
  })

  it("fails a rule when a folder has more than fifteen files", async () => {
    const files = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`rules/many/file-${at}.ts`, ""]))
    expect(await deviationsWith("full", { ...files(15), "rules/many/deeper/one.ts": "" })).toEqual(none)
    expect(await deviationsWith("crowded", files(16))).toEqual({ ...none, crowdedFolders: ["rules/many"] })
  })

  it("fails a rule when a short file has one importer", async () => {
    const files = {
      "rules/tiny.ts": "export const tiny = 1\n",
      "ways/one.ts": `import { tiny } from "../rules/tiny.ts"\nimport { type Tiny } from "../rules/tiny.ts"\n`,
    }
    expect(await deviationsWith("tiny", files)).toEqual({ ...none, tinyFiles: ["rules/tiny.ts"] })
  })

  it("fails a rule when two files contain the same declaration", async () => {
    const declared = `{ readonly one: string, readonly two: string }`
    const isRecord = `(value: unknown): value is object =>`
    expect(
      await deviationsWith("repeated", {
        "rules/a.ts": `export type Pair = ${declared}\nexport const limitMs = 5\nconst isRecord = ${isRecord} value !== null\nconst other = 1\n`,
        "ways/b.ts": `/** The pair. */\ntype Pair = {\n  readonly one: string,\n  readonly two: string,\n}\n\nconst isRecord = ${isRecord} true\nconst other = 2\n`,
        "ways/c.ts": `const limitMs = 5\n`,
      }),
    ).toEqual({ ...none, repeatedDeclarations: ["Pair", "isRecord", "limitMs"] })
  })
})

describe("importsOf", () => {
  const kinds = (text: string) => importsOf(text).map(({ kind, specifier }) => `${kind} ${specifier}`)

  it("distinguishes values and types", () => {
    expect(kinds(`import a, { type B } from "./a.ts"`)).toEqual(["value ./a.ts"])
    expect(kinds(`import type { B } from "./a.ts"`)).toEqual(["type ./a.ts"])
    expect(kinds(`import { type B, type C } from "./a.ts"`)).toEqual(["type ./a.ts"])
    expect(kinds(`import { type B, c } from "./a.ts"`)).toEqual(["value ./a.ts"])
    expect(kinds(`import type from "./a.ts"`)).toEqual(["value ./a.ts"])
    expect(kinds(`export type { B } from "./a.ts"`)).toEqual(["type ./a.ts"])
    expect(kinds(`export * as all from "./a.ts"\nimport "./b.ts"`)).toEqual(["value ./a.ts", "value ./b.ts"])
  })

  it("reads imports over several lines", () => {
    expect(kinds(`import {\n  a, // the first\n  b,\n} from\n  "./a.ts"`)).toEqual(["value ./a.ts"])
  })

  it("ignores comments, strings, templates and regular expressions", () => {
    expect(kinds(`// import "./a.ts"\n/* import "./a.ts" */ const a = 'import "./a.ts"'`)).toEqual([])
    expect(kinds('const a = `import "./a.ts" ${b ? `import "./b.ts"` : {}} import "./c.ts"`')).toEqual([])
    expect(kinds('const quote = /["`/]/g\nimport "./a.ts"')).toEqual(["value ./a.ts"])
    expect(kinds("const half = (a + b) / 2 / c\nimport './a.ts'")).toEqual(["value ./a.ts"])
    expect(kinds("const load = `${await import('./a.ts')}`")).toEqual(["value ./a.ts"])
  })

  it("does not take a file's own export for an import", () => {
    expect(kinds(`export { a }\nconst from = "./a.ts"\nexport const place = import.meta.url`)).toEqual([])
  })
})

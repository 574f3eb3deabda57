import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { importsOf } from "../../../scripts/structure/import-graph.ts"
import { measureStructure } from "../../../scripts/structure/measure-structure.ts"
import { readProductSources } from "../../../scripts/structure/product-sources.ts"
import { circleText } from "../../../scripts/structure/structure-report.ts"

const root = path.resolve(import.meta.dirname, "../../..")

// The linter checks circles of files, and the length of functions and files.
describe("the product", () => {
  const measures = measureStructure(root)

  it("is read completely, and every relative import in it resolves", () => {
    const files = new Set(measures.files)
    expect(files.size).toBeGreaterThan(500)
    expect(measures.edges.length).toBeGreaterThan(files.size)
    expect(measures.edges.filter(({ to }) => !files.has(to))).toEqual([])
  })

  it("has no circle of sub-folders in any layer", () => {
    expect(measures.circles.map(circleText)).toEqual([])
  })

  it("has no crowded folder", () => {
    expect(measures.crowded).toEqual([])
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

  const correct: Readonly<Record<string, string>> = {
    "tsconfig.build.json": JSON.stringify({ include: ["rules/**/*.ts", "ways/**/*.ts"] }),
    "rules/limits/limit.ts": `export interface Limit { readonly max: number }\nexport const max = 3\n`,
    "rules/runs/run.ts": `import type { Limit } from "../limits/limit.ts"\nexport const run = 1\n`,
    "rules/all.ts": `export * from "./runs/run.ts"\n`,
    "ways/runs/run.ts": `import { max, type Limit } from "../../rules/limits/limit.ts"\n`,
    "test/limit.test.ts": `import { max } from "../rules/limits/limit.ts"\n`,
  }

  const measured = async (name: string, files: Readonly<Record<string, string>>) => {
    const home = path.join(workspace, name)
    for (const [file, text] of Object.entries({ ...correct, ...files })) {
      await mkdir(path.dirname(path.join(home, file)), { recursive: true })
      await writeFile(path.join(home, file), text)
    }
    return measureStructure(home)
  }

  it("passes every rule when it is built correctly", async () => {
    expect(await measured("correct", {})).toMatchObject({ circles: [], between: [], crowded: [] })
  })

  it("consists of the files that the build compiles, and of the page", async () => {
    const page = { "web/page.tsx": "", "web/dist/page.ts": "" }
    const { files } = await measured("files", page)
    const compiled = Object.keys(correct).filter((file) => /^(rules|ways)\//.test(file))
    expect(files).toEqual([...compiled, "web/page.tsx"].toSorted())
    expect(readProductSources(path.join(workspace, "files")).map(({ file }) => file)).toEqual(compiled.toSorted())
  })

  it.each([
    ["a value", `import { run } from "../runs/run.ts"\n`],
    ["a type", `import type { Run } from "../runs/run.ts"\n`],
    ["a re-export", `export * from "../runs/run.ts"\n`],
    ["a value in a deeper folder", `import { run } from "../runs/deep/run.ts"\n`],
  ])("fails a rule when two sub-folders import each other by %s", async (kind, back) => {
    const { circles } = await measured(`circle by ${kind}`, {
      "rules/limits/back.ts": back,
      "rules/runs/second.ts": `import { max } from "../limits/limit.ts"\n`,
      "rules/runs/deep/run.ts": "export const run = 1\n",
    })
    expect(circles).toMatchObject([{ layer: "rules", folders: ["rules/limits", "rules/runs"] }])
    expect(circles[0]?.cuts.map(({ from }) => from)).toEqual(["rules/limits/back.ts"])
  })

  it("names the fewest imports of a circle over three sub-folders", async () => {
    const { circles } = await measured("three", {
      "rules/runs/one.ts": `import "../limits/limit.ts"\nimport "../limits/other.ts"\n`,
      "rules/limits/other.ts": `import "../people/first.ts"\nimport "../people/second.ts"\n`,
      "rules/people/first.ts": `import "../runs/run.ts"\n`,
      "rules/people/second.ts": "",
    })
    expect(circles.map(circleText)).toEqual([
      "rules/limits rules/people rules/runs; cut 1:\n    rules/people/first.ts -> rules/runs/run.ts",
    ])
  })

  it("finds no circle in lazy imports, other layers and files of the layer itself", async () => {
    const { circles, between } = await measured("no circle", {
      "rules/limits/back.ts": `const load = async () => await import("../runs/run.ts")\n`,
      "rules/limits/up.ts": `import "../all.ts"\nimport "../../ways/runs/run.ts"\n`,
    })
    expect(circles).toEqual([])
    expect(between).toEqual(["rules/all.ts"])
  })

  it("fails a rule when a folder has more than 25 files", async () => {
    const files = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`rules/many/file-${at}.ts`, ""]))
    expect(await measured("full", { ...files(25), "rules/many/deeper/one.ts": "" })).toMatchObject({ crowded: [] })
    expect(await measured("crowded", files(26))).toMatchObject({ crowded: [{ folder: "rules/many", files: 26 }] })
  })
})

describe("importsOf", () => {
  const kinds = (text: string) => importsOf(text).map(({ kind, specifier }) => `${kind} ${specifier}`)

  it("distinguishes values, types and what is loaded when it is needed", () => {
    expect(kinds(`import a, { type B } from "./a.ts"`)).toEqual(["value ./a.ts"])
    expect(kinds(`import type { B } from "./a.ts"`)).toEqual(["type ./a.ts"])
    expect(kinds(`import { type B, type C } from "./a.ts"`)).toEqual(["type ./a.ts"])
    expect(kinds(`import { type B, c } from "./a.ts"`)).toEqual(["value ./a.ts"])
    expect(kinds(`import type from "./a.ts"`)).toEqual(["value ./a.ts"])
    expect(kinds(`export type { B } from "./a.ts"`)).toEqual(["type ./a.ts"])
    expect(kinds(`import "./b.ts"\nexport * as all from "./a.ts"`)).toEqual(["value ./b.ts", "value ./a.ts"])
    expect(kinds("const load = `${await import('./a.ts')}`")).toEqual(["lazy ./a.ts"])
  })

  it("does not take a file's own export or a text for an import", () => {
    expect(kinds(`export { a }\nconst from = "./a.ts"\nexport const place = import.meta.url`)).toEqual([])
    expect(kinds(`// import "./a.ts"\nconst a = 'import "./a.ts"'\nawait import(a)`)).toEqual([])
  })
})

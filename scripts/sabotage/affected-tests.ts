import path from "node:path"
import { importGraph } from "../structure/import-graph.ts"
import type { SourceFile } from "../structure/product-sources.ts"

/** Test files that run together in one vitest process, the likeliest to fail first. */
export interface Stage {
  readonly projects: readonly string[]
  readonly files: readonly string[]
}

/** Tests without programs and Temporal servers: their failures do not depend on how busy the machine is. */
export const steadyProjects: readonly string[] = ["unit", "io"]

type Kind = "quick" | "workflow" | "e2e" | "page"

/** Returns the vitest projects that a test file can be in. */
const projectsOf = (file: string, kind: Kind): readonly string[] => {
  if (file.endsWith(".deep.test.ts") || file.startsWith("test/limits/")) return ["deep"]
  if (kind === "quick") return file.endsWith(".process.test.ts") ? ["process"] : steadyProjects
  return [kind]
}

/** How many test files of a kind run in each of its stages. `--thorough` adds a stage with the others. */
const stageSizes: Readonly<Record<Kind, readonly number[]>> = {
  quick: [2, 8, 25],
  workflow: [2, 5],
  e2e: [3],
  page: [8],
}

/** Tests of the sources' texts, which no behaviour depends on. */
const isOfTexts = (file: string): boolean => file.startsWith("test/unit/tooling/")

const kindOf = (file: string): Kind | undefined => {
  if (!file.endsWith(".test.ts") || isOfTexts(file)) return undefined
  if (file.startsWith("test/e2e/web/")) return "page"
  if (/^test\/(?:workflow|limits)\//.test(file)) return "workflow"
  if (file.startsWith("test/e2e/")) return "e2e"
  return file.startsWith("test/unit/") ? "quick" : undefined
}

/** Returns the kinds of tests that a fault in a file can affect. */
const kindsFor = (file: string): readonly Kind[] => {
  const folder = file.split("/", 1)[0] ?? ""
  if (folder === "web") return ["quick", "page"]
  const startsPrograms = ["cli", "http", "mcp", "service", "worker", "server", "bin"].includes(folder)
  return startsPrograms ? ["quick", "workflow", "e2e"] : ["quick", "workflow"]
}

/** Files that another starts by its path: workers, programs, and the bundle of the workflows. */
const startedFiles = ({ file, text }: SourceFile): readonly string[] =>
  [...text.matchAll(/"(\.{1,2}\/[\w./-]+\.tsx?)"/g)].map(([, target = ""]) =>
    path.posix.join(path.posix.dirname(file), target),
  )

const wordsOf = (file: string): ReadonlySet<string> =>
  new Set(
    file
      .replace(/^test\/(?:unit|workflow|e2e|limits)\//, "")
      .replace(/(?:\.\w+)*\.tsx?$/, "")
      .split(/[/-]/)
      .map((word) => word.replace(/(?:s|ed|ing)$/, ""))
      .filter((word) => word.length > 2),
  )

const exportsOf = (text: string): readonly string[] =>
  [...text.matchAll(/^export (?:async )?(?:const|function|class) (\w+)/gm)].map(([, name = ""]) => name)

const mirrorOf = (test: string): string =>
  test.replace(/^test\/(?:unit|workflow|e2e|limits)\//, "").replace(/(?:\.(?!test)\w+)*\.test\.ts$/, "")

const stageOf = (kind: Kind, files: readonly string[]): Stage => ({
  projects: [...new Set(files.flatMap((file) => projectsOf(file, kind)))],
  files,
})

/** Finds the tests that a change of a file can affect, from the imports and names in a checkout's sources. */
export const createTestFinder = (sources: readonly SourceFile[]) => {
  const byFile = new Map(sources.map((source) => [source.file, source]))
  const importers = new Map<string, Set<string>>()
  const add = (from: string, to: string) => {
    if (!byFile.has(to)) return
    importers.set(to, (importers.get(to) ?? new Set()).add(from))
  }
  for (const { from, to, kind } of importGraph(sources)) if (kind !== "type") add(from, to)
  for (const source of sources) for (const target of startedFiles(source)) add(source.file, target)
  const tests = sources.flatMap(({ file, text }) => {
    const kind = kindOf(file)
    return kind === undefined ? [] : [{ file, text, kind }]
  })

  /** Returns how many imports lie between each file and this one. */
  const distancesTo = (file: string): ReadonlyMap<string, number> => {
    const distances = new Map([[file, 0]])
    for (const [each, distance] of distances)
      for (const importer of importers.get(each) ?? [])
        if (!distances.has(importer)) distances.set(importer, distance + 1)
    return distances
  }

  const rank = (file: string): readonly { file: string; kind: Kind }[] => {
    const source = file.replace(/\.tsx?$/, "")
    const distances = distancesTo(file)
    const names = exportsOf(byFile.get(file)?.text ?? "")
    const words = wordsOf(file)
    const scoreOf = (test: (typeof tests)[number]): number => {
      const mirror = mirrorOf(test.file)
      const testWords = wordsOf(test.file)
      const named = names.filter((name) => new RegExp(String.raw`\b${name}\b`).test(test.text)).length
      const mentioned = [...words].filter((word) => test.text.includes(word)).length
      return (
        (mirror === source ? 100 : 0) +
        (path.posix.dirname(mirror) === path.posix.dirname(source) ? 20 : 0) +
        30 / (distances.get(test.file) ?? 30) +
        Math.min(45, 15 * named) +
        6 * [...words].filter((word) => testWords.has(word)).length +
        mentioned
      )
    }
    const kinds = kindsFor(file)
    return tests
      .filter((test) => kinds.includes(test.kind) && (test.kind !== "quick" || distances.has(test.file)))
      .map((test) => ({ file: test.file, kind: test.kind, score: scoreOf(test) }))
      .toSorted((left, right) => right.score - left.score)
  }

  /** Returns the stages for a fault in a file, the quickest first. `first`: test files that run before all others. */
  return (file: string, { first = [], isThorough = false }: FinderOptions = {}): readonly Stage[] => {
    const ranked = rank(file)
    const early = first.flatMap((test) => {
      const kind = kindOf(test)
      return kind === undefined || !byFile.has(test) ? [] : [stageOf(kind, [test])]
    })
    const later = kindsFor(file).flatMap((kind) => {
      const files = ranked.filter((test) => test.kind === kind && !first.includes(test.file)).map((test) => test.file)
      const sizes = [...stageSizes[kind], ...(isThorough ? [files.length] : [])]
      let at = 0
      return sizes.map((size) => stageOf(kind, files.slice(at, (at += size))))
    })
    return [...early, ...later].filter((stage) => stage.files.length > 0)
  }
}

interface FinderOptions {
  readonly first?: readonly string[]
  readonly isThorough?: boolean
}

export type FindTests = ReturnType<typeof createTestFinder>

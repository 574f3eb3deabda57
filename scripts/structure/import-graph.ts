import path from "node:path"
import { parseSync } from "oxc-parser"
import type { SourceFile } from "./product-sources.ts"

export interface ImportEdge {
  readonly from: string
  /** The imported file, relative to the root of the project. */
  readonly to: string
  /** `lazy`: by `import()`, when the code that needs it runs. */
  readonly kind: "value" | "type" | "lazy"
}

type Specifier = Pick<ImportEdge, "kind"> & { readonly specifier: string }

const kindOf = (entries: readonly { readonly isType: boolean }[]): ImportEdge["kind"] =>
  entries.length > 0 && entries.every(({ isType }) => isType) ? "type" : "value"

/** Returns the modules that a text imports or re-exports. An `import()` whose module is computed is left out. */
export const importsOf = (text: string, file = "text.ts"): readonly Specifier[] => {
  const { staticImports, staticExports, dynamicImports } = parseSync(file, text).module
  return [
    ...staticImports.map(({ moduleRequest, entries }) => ({ kind: kindOf(entries), specifier: moduleRequest.value })),
    ...staticExports.flatMap(({ entries }) => {
      const specifier = entries[0]?.moduleRequest?.value
      return specifier === undefined ? [] : [{ kind: kindOf(entries), specifier }]
    }),
    ...dynamicImports.flatMap(({ moduleRequest }) => {
      const [, specifier] = /^["'](.*)["']$/.exec(text.slice(moduleRequest.start, moduleRequest.end)) ?? []
      return specifier === undefined ? [] : [{ kind: "lazy" as const, specifier }]
    }),
  ]
}

/** Returns the relative imports of the sources. A file that imports another twice has two edges. */
export const importGraph = (sources: readonly SourceFile[]): readonly ImportEdge[] =>
  sources.flatMap(({ file, text }) =>
    importsOf(text, file)
      .filter(({ specifier }) => specifier.startsWith("."))
      .map(({ kind, specifier }) => ({ from: file, to: path.posix.join(path.posix.dirname(file), specifier), kind })),
  )

import type { ImportEdge } from "./import-graph.ts"
import { countLines, type SourceFile } from "./product-sources.ts"

/** A file with fewer lines requires more than one importer, or a name that is a concept. */
export const minLinesOfOneImporter = 20

export interface TinyFile {
  readonly file: string
  readonly lines: number
  readonly importer: string
}

/** Returns the short files that exactly one other file of the product imports. */
export const tinyFiles = (sources: readonly SourceFile[], edges: readonly ImportEdge[]): readonly TinyFile[] => {
  const importersOf = Map.groupBy(edges, ({ to }) => to)
  return sources.flatMap(({ file, text }) => {
    const importers = [...new Set(importersOf.get(file)?.map(({ from }) => from))].filter((from) => from !== file)
    const [importer] = importers
    const lines = countLines(text)
    return importer !== undefined && importers.length === 1 && lines < minLinesOfOneImporter
      ? [{ file, lines, importer }]
      : []
  })
}

import { crowdedFolders } from "./crowded-folders.ts"
import { importCircles } from "./import-circles.ts"
import { importGraph } from "./import-graph.ts"
import { countLines, readProductSources } from "./product-sources.ts"
import { repeatedDeclarations } from "./repeated-declarations.ts"
import { tinyFiles } from "./tiny-files.ts"

/** Measures the product below a root. The linter measures long functions separately. */
export const measureStructure = (root: string) => {
  const sources = readProductSources(root)
  const edges = importGraph(sources)
  return {
    files: sources.map(({ file }) => file),
    lines: sources.reduce((sum, { text }) => sum + countLines(text), 0),
    edges,
    circles: importCircles(edges),
    crowded: crowdedFolders(sources),
    tiny: tinyFiles(sources, edges),
    repeated: repeatedDeclarations(sources),
  }
}

export type StructureMeasures = ReturnType<typeof measureStructure>

import { crowdedFolders } from "./crowded-folders.ts"
import { filesInBetween, folderCircles } from "./folder-circles.ts"
import { importGraph } from "./import-graph.ts"
import { countLines, productPatterns, readSources } from "./product-sources.ts"

/** The page is a part of the product that has a build of its own. */
const pagePatterns = ["web/**/*.{ts,tsx}", "!web/dist/**"]

/** Measures the product below a root. The linter measures long functions and files, and finds circles of files. */
export const measureStructure = (root: string) => {
  const sources = readSources(root, [...productPatterns(root), ...pagePatterns])
  const edges = importGraph(sources)
  return {
    files: sources.map(({ file }) => file),
    lines: sources.reduce((sum, { text }) => sum + countLines(text), 0),
    edges,
    circles: folderCircles(edges),
    between: filesInBetween(edges),
    crowded: crowdedFolders(sources),
  }
}

export type StructureMeasures = ReturnType<typeof measureStructure>

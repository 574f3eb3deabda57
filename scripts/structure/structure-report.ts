import type { FolderCircle } from "./folder-circles.ts"
import type { StructureMeasures } from "./measure-structure.ts"

const section = (title: string, rows: readonly string[]): readonly string[] => [
  `${title}: ${rows.length}`,
  ...rows.map((row) => `  ${row}`),
  "",
]

/** Returns a circle as text: its folders, and the imports to cut. */
export const circleText = ({ folders, cuts }: FolderCircle): string =>
  [`${folders.join(" ")}; cut ${cuts.length}:`, ...cuts.map(({ from, to }) => `    ${from} -> ${to}`)].join("\n")

/** Returns the measures as text: for each rule the number of violations, and a line for each violation. */
export const structureReport = (measures: StructureMeasures): string => {
  const { files, lines, edges, circles, between, crowded } = measures
  const typeEdges = edges.filter(({ kind }) => kind === "type").length
  return [
    `Product: ${lines} lines in ${files.length} files`,
    `Imports: ${edges.length}, of which types only: ${typeEdges}`,
    "",
    ...section("Circles of sub-folders, type imports included", circles.map(circleText)),
    ...section("Files of a layer between its sub-folders (not checked)", between),
    ...section(
      "Crowded folders",
      crowded.map(({ folder, files: count }) => `${folder}: ${count} files`),
    ),
  ].join("\n")
}

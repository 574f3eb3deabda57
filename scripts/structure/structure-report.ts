import type { StructureMeasures } from "./measure-structure.ts"

const section = (title: string, rows: readonly string[]): readonly string[] => [
  `${title}: ${rows.length}`,
  ...rows.map((row) => `  ${row}`),
  "",
]

/** Returns the measures as text: for each rule the number of violations, and a line for each violation. */
export const structureReport = (measures: StructureMeasures): string => {
  const { files, lines, edges, circles, crowded, tiny, repeated } = measures
  const typeEdges = edges.filter(({ kind }) => kind === "type").length
  return [
    `Product: ${lines} lines in ${files.length} files`,
    `Imports: ${edges.length}, of which types only: ${typeEdges}`,
    "",
    ...section(
      "Import circles, type imports included",
      circles.map((circle) => `${circle.length} files: ${circle.join(" ")}`),
    ),
    ...section(
      "Crowded folders",
      crowded.map(({ folder, files: count }) => `${folder}: ${count} files`),
    ),
    ...section(
      "Tiny files with one importer",
      tiny.map(({ file, lines: count, importer }) => `${file}: ${count} lines, imported by ${importer}`),
    ),
    ...section(
      "Repeated declarations",
      repeated.map(({ kind, name, files: places }) => `${kind} ${name}: ${places.length} files: ${places.join(" ")}`),
    ),
  ].join("\n")
}

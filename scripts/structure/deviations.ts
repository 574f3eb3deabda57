import { conceptFiles, namesFile } from "./concept-files.ts"
import type { StructureMeasures } from "./measure-structure.ts"

/** The violations of each rule of the structure. */
export interface Deviations {
  readonly filesInCircles: readonly string[]
  readonly crowdedFolders: readonly string[]
  readonly tinyFiles: readonly string[]
  readonly repeatedDeclarations: readonly string[]
}

const sorted = (keys: readonly string[]): readonly string[] => [...new Set(keys)].toSorted()

const isConcept = (file: string): boolean => Object.keys(conceptFiles).some((key) => namesFile(key, file))

/** Returns the violations of each rule of the structure, sorted. */
export const deviationsOf = (measures: StructureMeasures): Deviations => ({
  filesInCircles: sorted(measures.circles.flat()),
  crowdedFolders: sorted(measures.crowded.map(({ folder }) => folder)),
  tinyFiles: sorted(measures.tiny.map(({ file }) => file).filter((file) => !isConcept(file))),
  repeatedDeclarations: sorted(measures.repeated.map(({ name }) => name)),
})

import path from "node:path"
import type { SourceFile } from "./product-sources.ts"

/** Maximum number of files directly in one folder. */
export const maxFilesPerFolder = 25

export interface CrowdedFolder {
  readonly folder: string
  readonly files: number
}

/** Returns the folders with more files directly inside than are allowed, the fullest first. */
export const crowdedFolders = (sources: readonly SourceFile[]): readonly CrowdedFolder[] =>
  [...Map.groupBy(sources, ({ file }) => path.posix.dirname(file))]
    .map(([folder, files]) => ({ folder, files: files.length }))
    .filter(({ files }) => files > maxFilesPerFolder)
    .toSorted((left, right) => right.files - left.files)

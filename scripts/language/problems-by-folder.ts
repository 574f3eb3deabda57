import type { LanguageProblem } from "./written-text.ts"

/** Returns the top folder of a file; `.` for one in the root. */
const folderOf = ({ file }: LanguageProblem): string => (file.includes("/") ? (file.split("/")[0] ?? file) : ".")

/** Counts problems by the top folder of their files, sorted by folder. */
export const problemsByFolder = (problems: readonly LanguageProblem[]): readonly (readonly [string, number])[] =>
  [...Map.groupBy(problems, folderOf)]
    .map(([folder, { length }]) => [folder, length] as const)
    .toSorted(([a], [b]) => a.localeCompare(b))

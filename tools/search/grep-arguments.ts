import { relative } from "node:path"
import type { GrepInput } from "../../contracts/tool-input.ts"
import { dataDirName } from "../../domain/workspace/data-directory.ts"

export interface GrepPlace {
  /** Real working directory, to which globs and paths are relative. */
  readonly cwd: string
  /** What to search, relative to `cwd`. */
  readonly target: string
  /** Absolute directories that are never searched. */
  readonly hidden: readonly string[]
}

const maxColumns = 500

const escapedGlob = (path: string): string => path.replace(/[*?[\]{}!\\]/g, "\\$&")

const modeArguments = (input: GrepInput): readonly string[] => {
  const mode = input.output_mode ?? "files_with_matches"
  switch (mode) {
    case "files_with_matches":
      return ["--files-with-matches"]
    case "count":
      return ["--count-matches", "--with-filename", "--sort=path"]
    case "content":
      return [
        "--line-number",
        "--with-filename",
        "--no-heading",
        "--sort=path",
        `--max-columns=${maxColumns}`,
        "--max-columns-preview",
        `--context=${input.context ?? 0}`,
      ]
    default:
      return mode satisfies never
  }
}

/** Returns the arguments of ripgrep. Exclusions come last, so that a model's glob cannot include excluded files again. */
export const grepArguments = (input: GrepInput, place: GrepPlace): readonly string[] => [
  "--no-config",
  "--no-follow",
  "--no-messages",
  "--hidden",
  "--color=never",
  "--engine=auto",
  ...modeArguments(input),
  ...(input.ignore_case === true ? ["--ignore-case"] : []),
  ...(input.multiline === true ? ["--multiline", "--multiline-dotall"] : []),
  ...(input.glob === undefined ? [] : [`--glob=${input.glob}`]),
  "--glob=!.git",
  `--iglob=!${dataDirName}`,
  ...place.hidden.map((path) => `--glob=!/${escapedGlob(relative(place.cwd, path))}`),
  `--regexp=${input.pattern}`,
  "--",
  place.target,
]

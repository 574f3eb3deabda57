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

/** Returns whether only the names of files are requested. */
export const isByFile = (input: GrepInput): boolean =>
  (input.output_mode ?? "files_with_matches") === "files_with_matches"

const modeArguments = (input: GrepInput): readonly string[] => {
  const mode = input.output_mode ?? "files_with_matches"
  switch (mode) {
    case "files_with_matches":
      return ["--files-with-matches"]
    case "count":
      return ["--count-matches", "--with-filename"]
    case "content":
      return [
        "--line-number",
        "--with-filename",
        "--no-heading",
        `--max-columns=${maxColumns}`,
        "--max-columns-preview",
        `--context=${input.context ?? 0}`,
      ]
    default:
      return mode satisfies never
  }
}

const matching = (input: GrepInput): readonly string[] => [
  "--no-config",
  "--no-messages",
  "--color=never",
  "--engine=auto",
  ...(input.ignore_case === true ? ["--ignore-case"] : []),
  ...(input.multiline === true ? ["--multiline", "--multiline-dotall"] : []),
  `--regexp=${input.pattern}`,
]

/**
 * Returns the arguments of ripgrep to find the files with matches below a directory. Exclusions come last, so that a model's glob cannot include
 * excluded files again.
 */
export const candidateArguments = (input: GrepInput, place: GrepPlace): readonly string[] => [
  ...matching(input),
  "--no-follow",
  "--hidden",
  "--files-with-matches",
  ...(isByFile(input) ? [] : ["--sort=path"]),
  ...(input.glob === undefined ? [] : [`--glob=${input.glob}`]),
  ...(input.type === undefined ? [] : [`--type=${input.type}`]),
  "--glob=!.git",
  `--iglob=!${dataDirName}`,
  ...place.hidden.map((path) => `--glob=!/${escapedGlob(relative(place.cwd, path))}`),
  "--",
  place.target,
]

/** Returns the arguments of ripgrep to search the given files, in their order. */
export const fileArguments = (input: GrepInput, files: readonly string[]): readonly string[] => [
  ...matching(input),
  ...modeArguments(input),
  "--threads=1",
  "--",
  ...files,
]

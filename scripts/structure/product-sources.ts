import { readFileSync } from "node:fs"
import path from "node:path"
import { globSync } from "tinyglobby"

export interface SourceFile {
  /** Relative to the root of the project, with slashes. */
  readonly file: string
  readonly text: string
}

/** Returns the patterns of the files that make up the product: those that the build compiles. */
export const productPatterns = (root: string): readonly string[] => {
  const config: unknown = JSON.parse(readFileSync(path.join(root, "tsconfig.build.json"), "utf8"))
  const include: unknown = config !== null && typeof config === "object" && "include" in config ? config.include : []
  return Array.isArray(include) ? include.map(String) : []
}

/** Reads the files that match the patterns, sorted by path. */
export const readSources = (root: string, patterns: readonly string[]): readonly SourceFile[] =>
  globSync([...patterns], { cwd: root })
    .toSorted()
    .map((file) => ({ file, text: readFileSync(path.join(root, file), "utf8") }))

/** Reads every file of the product without the page, sorted by path. */
export const readProductSources = (root: string): readonly SourceFile[] => readSources(root, productPatterns(root))

/** Returns the number of lines of a text; a final line break does not start a new line. */
export const countLines = (text: string): number => text.split("\n").length - (text.endsWith("\n") ? 1 : 0)

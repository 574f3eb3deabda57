import { readdir, realpath } from "node:fs/promises"
import { dirname, join, relative, resolve, sep } from "node:path"
import { isInside } from "../../domain/workspace/is-inside.ts"
import {
  foldName,
  looksLikeGitDirectory,
  protectedPart,
  protectedSegments,
} from "../../domain/workspace/protected-paths.ts"
import type { ToolContext } from "../tool.ts"
import { gitReferences } from "./git-references.ts"

type Place = Pick<ToolContext, "cwd" | "namedFiles">

const entriesOf = (directory: string) => readdir(directory, { withFileTypes: true }).catch(() => [])

const realOf = (path: string): Promise<string> => realpath(path).catch(() => path)

/** Returns the part of a path that its names protect. */
const byName = (cwd: string, path: string): string | undefined =>
  isInside(cwd, path) ? protectedSegments(relative(cwd, path).split(sep))?.join(sep) : undefined

/** Returns the directory on the way to a path that is a git directory, or becomes one with the path's next part. */
const gitDirectoryOn = async (cwd: string, path: string): Promise<string | undefined> => {
  const segments = relative(cwd, path).split(sep)
  for (const [index, next] of segments.entries()) {
    const directory = join(cwd, ...segments.slice(0, index))
    const names = (await entriesOf(directory)).map(({ name }) => name)
    if (looksLikeGitDirectory([...names, next])) return index === 0 ? "." : relative(cwd, directory)
  }
  return undefined
}

/** Returns the paths to which protected links in the working directory lead. */
const linkTargets = async (cwd: string): Promise<readonly string[]> => {
  const links = (await entriesOf(cwd)).filter(
    (entry) => entry.isSymbolicLink() && protectedPart([entry.name]) !== undefined,
  )
  return Promise.all(links.map(({ name }) => realOf(join(cwd, name))))
}

/** Returns what the configuration of the repository names in which the working directory is. */
export const repositoryFiles = async (cwd: string): Promise<readonly string[]> => {
  for (let directory = cwd; ; directory = dirname(directory)) {
    const named = await gitReferences(join(directory, ".git"), directory)
    if (named.length > 0 || dirname(directory) === directory) return Promise.all(named.map(realOf))
  }
}

const folded = (path: string): string => path.split(sep).map(foldName).join(sep)

/**
 * Returns the protected path, relative to the working directory, that a write to a file changes; undefined if it changes none. File tools count all of
 * a git directory as protected.
 *
 * @param real the file that `requested` leads to, without links
 */
export const protectedPath = async (requested: string, real: string, place: Place): Promise<string | undefined> => {
  const { cwd, namedFiles = [] } = place
  const named = byName(cwd, real) ?? byName(cwd, resolve(cwd, requested))
  if (named !== undefined) return named
  const shown = relative(cwd, real)
  if ((await gitDirectoryOn(cwd, real)) !== undefined) return shown
  const files = [...namedFiles, ...(await Promise.all(namedFiles.map(realOf)))]
  const trees = [...(await linkTargets(cwd)), ...(await repositoryFiles(cwd))]
  const isNamed = files.some((file) => folded(file) === folded(real))
  return isNamed || trees.some((tree) => isInside(folded(tree), folded(real))) ? shown : undefined
}

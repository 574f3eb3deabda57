import { join, relative, resolve, sep } from "node:path"
import { listDirectory } from "../disk/list-directory.ts"
import { isInside } from "../../domain/workspace/is-inside.ts"
import { dataDirName, dataRootOf } from "../../domain/workspace/data-directory.ts"
import { foldName, looksLikeGitDirectory, protectedSegments } from "../../domain/workspace/protected-paths.ts"
import { foldersNamed } from "../../domain/workspace/possible-paths.ts"
import type { ToolContext } from "../tool.ts"
import { protectedTrees } from "./describe-before.ts"
import { realPaths } from "./link-steps.ts"

type Place = Pick<ToolContext, "cwd" | "namedFiles" | "dataDir">

const readableEntries = (directory: string) => listDirectory(directory).catch(() => [])

/** Returns the part of a path that its names protect. */
const byName = (cwd: string, path: string): string | undefined =>
  isInside(cwd, path) ? protectedSegments(relative(cwd, path).split(sep))?.join(sep) : undefined

/** Returns the directory on the way to a path that is a git directory, or becomes one with the path's next part. */
const gitDirectoryOn = async (cwd: string, path: string): Promise<string | undefined> => {
  const segments = relative(cwd, path).split(sep)
  for (const [index, next] of segments.entries()) {
    const directory = join(cwd, ...segments.slice(0, index))
    const names = (await readableEntries(directory)).map(({ name }) => name)
    if (looksLikeGitDirectory([...names, next])) return index === 0 ? "." : relative(cwd, directory)
  }
  return undefined
}

const folded = (path: string): string => path.split(sep).map(foldName).join(sep)

/**
 * Returns the protected path, relative to the working directory, that a write to a file changes; undefined if it changes none. File tools count all of
 * a git directory as protected.
 *
 * @param real the file that `requested` leads to, without links
 */
export const protectedPath = async (requested: string, real: string, place: Place): Promise<string | undefined> => {
  const { cwd, namedFiles = [], dataDir } = place
  const named = byName(cwd, real) ?? byName(cwd, resolve(cwd, requested))
  if (named !== undefined) return named
  const shown = relative(cwd, real)
  if ((await gitDirectoryOn(cwd, real)) !== undefined) return shown
  const files = [...namedFiles, ...(await realPaths(namedFiles))]
  if (files.some((file) => folded(file) === folded(real))) return shown
  const folders = foldersNamed(namedFiles)
  const isInFolder = (folder: string): boolean =>
    folder !== cwd && isInside(cwd, folder) && isInside(folded(folder), folded(real))
  if ([...folders, ...(await realPaths(folders))].some(isInFolder)) return shown
  const hidden = [join(cwd, dataDirName), ...(dataDir === undefined ? [] : [dataRootOf(dataDir)])]
  const trees = await protectedTrees({ cwd, namedFiles, hidden })
  return trees.some((tree) => isInside(folded(tree), folded(real))) ? shown : undefined
}

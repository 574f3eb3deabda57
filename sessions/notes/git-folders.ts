import { stat } from "node:fs/promises"
import { dirname, join } from "node:path"
import { isInside } from "../../domain/workspace/is-inside.ts"

const ownerOf = (path: string): Promise<number | undefined> =>
  stat(path).then(
    ({ uid }) => uid,
    () => undefined,
  )

/**
 * Returns the folders from the root of the git repository down to a directory (a real path), which is the last one; only the directory itself outside of a
 * repository, and in a repository of another owner. `directories`: no folder outside of these is returned.
 */
export const gitFolders = async (cwd: string, directories: "any" | readonly string[]): Promise<readonly string[]> => {
  const owner = await ownerOf(cwd)
  const folders = [cwd]
  for (let folder = cwd; ; folder = dirname(folder)) {
    const repository = await ownerOf(join(folder, ".git"))
    if (folder !== cwd) folders.unshift(folder)
    if (repository !== undefined)
      return repository === owner ? folders.filter((each) => each === cwd || isAllowedFolder(each, directories)) : [cwd]
    if (dirname(folder) === folder) return [cwd]
  }
}

const isAllowedFolder = (folder: string, directories: "any" | readonly string[]): boolean =>
  directories === "any" || directories.some((directory) => isInside(directory, folder))

import { mkdir, stat } from "node:fs/promises"
import { dirname } from "node:path"

const codeOf = (error: unknown): unknown => (error instanceof Error && "code" in error ? error.code : undefined)

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )

/** Makes a folder and those above it, each for its owner alone. Node's own `recursive` never returns where a file system like /proc refuses. */
export const makeFolder = async (path: string): Promise<void> => {
  if (await isFolder(path)) return
  const parent = dirname(path)
  if (parent !== path && !(await isFolder(parent))) await makeFolder(parent)
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    // Another process made it at the same moment.
    if (codeOf(error) !== "EEXIST" || !(await isFolder(path))) throw error
  }
}

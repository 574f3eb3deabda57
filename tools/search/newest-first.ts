import { lstat } from "node:fs/promises"

const changedAtMs = (path: string): Promise<number> =>
  lstat(path).then(
    (stat) => stat.mtimeMs,
    () => 0,
  )

/** Sorts paths by their last change, newest first; paths with the same time by name. */
export const newestFirst = async (paths: readonly string[]): Promise<readonly string[]> => {
  const dated = await Promise.all(paths.map(async (path) => ({ path, changedAtMs: await changedAtMs(path) })))
  return dated
    .toSorted((left, right) => right.changedAtMs - left.changedAtMs || (left.path < right.path ? -1 : 1))
    .map(({ path }) => path)
}

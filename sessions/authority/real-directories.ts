import { realpath } from "node:fs/promises"

/** Returns the real paths of directories; the path of one that does not exist is returned unchanged. */
export const realDirectories = (paths: readonly string[]): Promise<readonly string[]> =>
  Promise.all(paths.map((path) => realpath(path).catch(() => path)))

import { realpath } from "node:fs/promises"

/** Where directories really are; one that is not there is kept as it is named. */
export const realDirectories = (paths: readonly string[]): Promise<readonly string[]> =>
  Promise.all(paths.map((path) => realpath(path).catch(() => path)))

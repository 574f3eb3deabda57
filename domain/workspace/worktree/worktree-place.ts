import { isInside } from "../is-inside.ts"

/** Name of the directory inside the data directory that contains the worktrees of sessions. */
const worktreesName = "worktrees"

const prefix = "adjutant-"

/** Returns the directory that contains the worktrees of all sessions of a data directory. */
export const worktreesDirectory = (dataDir: string): string => `${dataDir}/${worktreesName}`

/** Returns the path of the worktree with a key: the directory in which tools work. What else belongs to it is next to it. */
export const worktreePath = (dataDir: string, key: string): string =>
  `${worktreesDirectory(dataDir)}/${key}/${prefix}${key}`

/** Returns whether a path is a worktree in a data directory, or inside one: the only places in there where tools work. */
export const isInWorktree = (dataDir: string, path: string): boolean => {
  const all = worktreesDirectory(dataDir)
  if (path === all || !isInside(all, path)) return false
  const [key, name] = path.slice(all.length + 1).split("/")
  return key !== undefined && name === `${prefix}${key}`
}

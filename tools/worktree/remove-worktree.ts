import { chmod, readdir, readFile, rm, rmdir } from "node:fs/promises"
import { join, resolve } from "node:path"

/** Removes what a repository knows of a worktree: the entry whose pointer names it, and no other. */
export const forgetWorktree = async (commonDir: string, path: string): Promise<void> => {
  const all = join(commonDir, "worktrees")
  for (const name of await readdir(all).catch(() => [])) {
    const pointer = await readFile(join(all, name, "gitdir"), "utf8").catch(() => "")
    // A relative one begins at the entry.
    const named = resolve(join(all, name), pointer.trim())
    if (named === join(path, ".git")) await rm(join(all, name), { recursive: true, force: true })
  }
  // As git does with the last one; others stay.
  await rmdir(all).catch(() => undefined)
}

const unlock = async (path: string): Promise<void> => {
  await chmod(path, 0o700).catch(() => undefined)
  for (const entry of await readdir(path, { withFileTypes: true }).catch(() => []))
    if (entry.isDirectory()) await unlock(join(path, entry.name))
}

/** Removes a directory, also one in which a command has left directories that nobody can enter. */
export const removeDirectory = async (path: string): Promise<void> => {
  try {
    await rm(path, { recursive: true, force: true })
  } catch {
    await unlock(path)
    await rm(path, { recursive: true, force: true })
  }
}

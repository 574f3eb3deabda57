import { mkdir, stat, access, chmod, lstat, readdir, realpath, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { constants } from "node:fs"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { ignoreIfPresent, systemCode } from "../../domain/text/error-message.ts"
import { isClosed, kernelTrees } from "../../domain/workspace/closed-directories.ts"
import { trackedByGit } from "./tracked-by-git.ts"

/** Returns whether a path is a directory, or a link to one. */
export const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )

/** Makes a directory and those above it, each for its owner alone. Node's `recursive` never returns if a file system such as /proc refuses. */
export const makeFolder = async (path: string): Promise<void> => {
  if (await isFolder(path)) return
  const parent = dirname(path)
  if (parent !== path && !(await isFolder(parent))) await makeFolder(parent)
  try {
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    // Another process made it at the same moment.
    if (systemCode(error) !== "EEXIST" || !(await isFolder(path))) throw error
  }
}

/** The bits of a mode that give access to other users. */
export const openToOthers = 0o077
const stickyBit = 0o1000

const unusable = (path: string, why: string, cause?: unknown): AdjutantError =>
  new AdjutantError(
    "data_dir_unusable",
    `the data directory ${path} cannot be used: ${why}; choose another one with --data-dir`,
    { cause },
  )

/**
 * Closes a directory to other users if it is empty. Adjutant makes its data directories closed: one that is open and contains files came from somewhere
 * else, as with a repository that was cloned, and its files must not be believed.
 */
const closeToOthers = async (path: string): Promise<void> => {
  const { mode, uid } = await stat(path)
  if (process.getuid !== undefined && uid !== process.getuid()) throw unusable(path, "it belongs to another user")
  if ((mode & openToOthers) === 0) return
  const isEmpty = (await readdir(path)).every((name) => name === ".gitignore")
  if ((mode & stickyBit) !== 0 || !isEmpty)
    throw unusable(
      path,
      "other users can read it, and it contains files that Adjutant may not have written (if they are yours, chmod 700 makes it usable)",
    )
  await chmod(path, 0o700)
}

/** Refuses a directory that came with a repository, or with files of another user: its sessions and their programs are not this user's. */
const requireOwnOrigin = async (path: string): Promise<void> => {
  const names = (await readdir(path)).filter((name) => name !== ".gitignore")
  const uid = process.getuid?.()
  for (const name of names) {
    const owner = (await lstat(join(path, name)).catch(() => undefined))?.uid
    if (uid !== undefined && owner !== undefined && owner !== uid)
      throw unusable(path, `${name} in it belongs to another user`)
  }
  if (names.length === 0) return
  const tracked = await trackedByGit(path)
  if (tracked === "yes")
    throw unusable(path, "git tracks files in it, so that it came with the repository; remove it from the repository")
  if (tracked === "unknown") throw unusable(path, "git does not say whether it came with the repository")
}

const ignoreItself = async (path: string): Promise<void> => {
  const file = join(path, ".gitignore")
  const existing = await lstat(file).catch(() => undefined)
  if (existing === undefined) await writeFile(file, "*\n", { mode: 0o600, flag: "wx" }).catch(ignoreIfPresent)
}

const isMissing = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => false,
    (error: unknown) => systemCode(error) === "ENOENT",
  )

/** Makes the data directory if necessary: mode 0700, ignored by git, writable. Returns its real path. */
export const prepareDataDir = async (wanted: string): Promise<string> => {
  try {
    await makeFolder(wanted)
    const path = await realpath(wanted)
    await closeToOthers(path)
    await requireOwnOrigin(path)
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK)
    await ignoreItself(path)
    return path
  } catch (error) {
    if (error instanceof AdjutantError) throw error
    throw unusable(wanted, systemCode(error) ?? "the system refuses it", error)
  }
}

/** Returns the real path of the nearest directory above a path that exists. */
const nearestFolder = async (path: string): Promise<string> =>
  (await isFolder(path)) ? await realpath(path) : await nearestFolder(dirname(path))

/** Returns the data directory as `prepareDataDir` does; a missing one stays missing, if it could be made. */
export const findDataDir = async (wanted: string): Promise<string> => {
  if (!(await isMissing(wanted))) return await prepareDataDir(wanted)
  const above = await nearestFolder(dirname(wanted))
  if (isClosed(above, kernelTrees)) throw unusable(wanted, `there can be no data directory in ${above}`)
  return wanted
}

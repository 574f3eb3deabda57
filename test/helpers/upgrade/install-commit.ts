import { access, mkdir, mkdtemp, rename, rm } from "node:fs/promises"
import os from "node:os"
import path from "node:path"
import { execa, execaSync } from "execa"

const checkout = path.resolve(import.meta.dirname, "../../..")

/** Returns whether the checkout contains the commit: a shallow clone, or a copy without git, does not. */
export const hasCommit = (commit: string): boolean =>
  execaSync("git", ["cat-file", "-e", `${commit}^{commit}`], { cwd: checkout, reject: false }).exitCode === 0

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  )

const install = async (commit: string, folder: string): Promise<void> => {
  const archive = path.join(folder, "commit.tar")
  await execa("git", ["archive", "--output", archive, commit], { cwd: checkout })
  await execa("tar", ["-xf", archive], { cwd: folder })
  await rm(archive)
  // The error of a failure includes npm's output.
  await execa("npm", ["ci", "--loglevel=error", "--no-audit", "--no-fund", "--prefer-offline"], { cwd: folder })
}

/**
 * Returns a folder with the files of a commit of this project and the packages that `npm ci` installs for
 * them. The folder is kept in the user's cache: a commit, and with it its lock file, never changes.
 */
export const installCommit = async (commit: string): Promise<string> => {
  const cache = process.env["XDG_CACHE_HOME"] || path.join(os.homedir(), ".cache")
  const versions = path.join(cache, "adjutant", "old-versions")
  const installed = path.join(versions, `${commit}-${process.platform}-${process.arch}`)
  if (await exists(installed)) return installed
  await mkdir(versions, { recursive: true })
  const folder = await mkdtemp(path.join(versions, "installing-"))
  try {
    await install(commit, folder)
    await rename(folder, installed)
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    // Another run of the tests installed it first.
    if (!(await exists(installed))) throw error
  }
  return installed
}

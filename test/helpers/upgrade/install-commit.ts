import { access, mkdir, mkdtemp, rename, rm } from "node:fs/promises"
import path from "node:path"
import { execa, execaSync } from "execa"
import { userCache } from "../../../scripts/checks/user-cache.ts"

const checkout = path.resolve(import.meta.dirname, "../../..")

const git = (...args: readonly string[]): string => {
  const { exitCode, stdout } = execaSync("git", args, { cwd: checkout, reject: false })
  return exitCode === 0 ? stdout : ""
}

/** Returns the commit that changed a file last; undefined in a shallow clone, and in a copy without git, where it is not known. */
export const commitThatChanged = (file: string): string | undefined =>
  git("rev-parse", "--is-shallow-repository") === "false"
    ? git("log", "-1", "--format=%H", "--", file) || undefined
    : undefined

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
  const versions = path.join(userCache(process.env), "old-versions")
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

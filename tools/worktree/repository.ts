import { realpath } from "node:fs/promises"
import { join, resolve } from "node:path"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { gitProblem, runGit } from "./git.ts"

/** A git repository whose working tree a session uses. */
export interface Repository {
  /** Real path of the working tree. */
  readonly root: string
  /** Absolute path of the directory that all worktrees of the repository share. */
  readonly commonDir: string
  readonly objectFormat: "sha1" | "sha256"
  /** The commit that is checked out. */
  readonly head: string
}

const refuse = (message: string): AdjutantError => new AdjutantError("invalid_argument", message)

const ask = async (cwd: string, ...args: readonly string[]): Promise<string | undefined> => {
  const { code, stdout } = await runGit({ args: ["rev-parse", ...args], cwd })
  return code === 0 ? stdout.toString("utf8").replace(/\n$/, "") : undefined
}

/**
 * Returns the repository of a directory.
 * @throws AdjutantError `invalid_argument` if the directory is not the root of a working tree, or nothing was committed yet
 */
export const repositoryOf = async (directory: string): Promise<Repository> => {
  const root = await realpath(directory).catch(() => undefined)
  if (root === undefined) throw refuse(`a git worktree needs the directory ${directory}, which does not exist`)
  const found = await runGit({ args: ["rev-parse", "--is-bare-repository"], cwd: root })
  if (found.code !== 0)
    throw refuse(
      `a git worktree needs a git repository, which ${root} is not (${gitProblem(found)}): run "git init" and commit, or start the sub-agent without worktree`,
    )
  if (found.stdout.toString("utf8").trim() === "true")
    throw refuse(`a git worktree needs a working tree, and ${root} is a bare repository: use a clone of it`)
  const top = await ask(root, "--show-toplevel")
  if (top === undefined || (await realpath(top).catch(() => top)) !== root)
    throw refuse(
      `a git worktree needs the root of a working tree, and ${root} is inside that of ${top ?? "another repository"}: use its root as the working directory`,
    )
  const common = await ask(root, "--git-common-dir")
  const head = await ask(root, "--verify", "--end-of-options", "HEAD^{commit}")
  if (common === undefined || head === undefined)
    throw refuse(`a git worktree needs a commit, and the repository ${root} has none: commit first`)
  const format = await ask(root, "--show-object-format")
  const commonDir = await realpath(resolve(root, common))
  return { root, commonDir, head, objectFormat: format === "sha256" ? "sha256" : "sha1" }
}

/** Returns the objects of a repository, from which those of worktrees are read. */
export const objectsOf = ({ commonDir }: Pick<Repository, "commonDir">): string => join(commonDir, "objects")

import { existsSync } from "node:fs"
import { realpath } from "node:fs/promises"
import { join, relative, resolve } from "node:path"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { shellQuote } from "../../domain/text/shell-quote.ts"
import type { Environment } from "../../domain/environment.ts"
import { dataDirName } from "../../domain/workspace/data-directory.ts"
import { envValue } from "../environment.ts"
import { findOwnProject } from "../find-project.ts"
import { workTreeOf } from "./ask-git.ts"
import { findDataDir, prepareDataDir } from "./prepare-data-dir.ts"
import { type Confirm, requireSameRepository } from "./project-record.ts"
import { defaultDataDir } from "./state-folder.ts"
import { trackedByGit } from "./tracked-by-git.ts"

export interface DataDirRequest {
  /** The directory whose project is meant, and to which relative paths refer. */
  readonly cwd: string
  /** `--data-dir`. */
  readonly dataDir?: string | undefined
  readonly env: Environment
  /** Leaves a missing one missing, and records nothing. */
  readonly isReading?: boolean | undefined
  /** Gets a line about tasks that are found in the project and not used. */
  readonly onNotice?: ((line: string) => void) | undefined
  /** Asks the person at the terminal; absent if nobody can be asked. */
  readonly confirm?: Confirm | undefined
}

/** Refuses a default data directory in a work tree: `git clean` would remove it, and what a repository brings is not believed. */
const requireOutsideWorkTree = async (path: string): Promise<void> => {
  const workTree = await workTreeOf(path)
  if (workTree !== undefined)
    throw new AdjutantError(
      "data_dir_unusable",
      `the data directory ${path} is in the git work tree ${workTree}: name it, or another one, with --data-dir or ADJUTANT_DATA_DIR`,
    )
}

/** Says that a project contains a data directory of its own, which is never opened by itself: it can have come with the project. */
const noticeOwnDirectory = async (projectRoot: string, { cwd, onNotice }: DataDirRequest): Promise<void> => {
  const own = join(projectRoot, dataDirName)
  if (onNotice === undefined || !existsSync(join(own, "store.db"))) return
  const shown = relative(await realpath(cwd), own)
  onNotice(
    (await trackedByGit(own)) === "no"
      ? `${shown} contains tasks and is not used: run "adjutant move ${shellQuote(shown)}" to take them over`
      : `${shown} came with the repository and is not used`,
  )
}

/**
 * Returns the data directory and prepares it: `--data-dir`, or else `ADJUTANT_DATA_DIR`, or else the project's in the user's state folder.
 * @throws AdjutantError `data_dir_unusable`
 */
export const chooseDataDir = async (request: DataDirRequest): Promise<string> => {
  const { cwd, env, isReading = false } = request
  const prepare = isReading ? findDataDir : prepareDataDir
  const named = request.dataDir ?? envValue(env, "ADJUTANT_DATA_DIR")
  if (named !== undefined) return await prepare(resolve(cwd, named))
  const { projectRoot } = await findOwnProject(cwd, env)
  const wanted = await defaultDataDir(projectRoot, env)
  await requireOutsideWorkTree(wanted)
  const dataDir = await prepare(wanted)
  if (dataDir !== wanted) await requireOutsideWorkTree(dataDir)
  await requireSameRepository({ dataDir, projectRoot, isReading, confirm: request.confirm })
  await noticeOwnDirectory(projectRoot, request)
  return dataDir
}

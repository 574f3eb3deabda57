import { realpath, stat } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { isInside } from "../domain/workspace/is-inside.ts"
import { configFileName } from "../domain/workspace/protected-paths.ts"
import { AdjutantError } from "../contracts/adjutant-error.ts"
import { envValue } from "./environment.ts"
import type { Environment } from "../domain/environment.ts"

const exists = async (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )

/** Returns the directory itself, then each one above it. */
const upwards = (from: string): readonly string[] => {
  const folders = [from]
  for (let folder = from; dirname(folder) !== folder; folder = dirname(folder)) folders.push(dirname(folder))
  return folders
}

const findGitRoot = async (cwd: string): Promise<string | undefined> => {
  for (const folder of upwards(cwd)) if (await exists(join(folder, ".git"))) return folder
  return undefined
}

/** Returns where the configuration can be: no further up than the git root or the home directory, so that no file of another user is read. */
const searched = async (cwd: string, gitRoot: string | undefined, env: Environment): Promise<readonly string[]> => {
  const named = envValue(env, "HOME")
  const home = named === undefined ? undefined : await realpath(named).catch(() => undefined)
  const top = gitRoot ?? (home !== undefined && isInside(home, cwd) ? home : cwd)
  return upwards(cwd).filter((folder) => isInside(top, folder))
}

/** The configuration file, if there is one, and the project that it belongs to. */
export interface Project {
  readonly configPath: string | null
  readonly projectRoot: string
  /** Whether the user named the file, with `--config` or `ADJUTANT_CONFIG`. */
  readonly isNamed: boolean
}

/** Finds the project of a directory, whatever configuration file is named: the one whose data directory it uses, and whose configuration can be trusted. */
export const findOwnProject = (cwd: string, env: Environment): Promise<Project> =>
  findProject({ cwd, env: { ...env, ADJUTANT_CONFIG: undefined } })

/** Finds the configuration file: the named one, or else `ADJUTANT_CONFIG`, or else `adjutant.config.yaml` in the working directory or above it. */
export const findProject = async (options: {
  cwd: string
  configPath?: string
  env: Environment
}): Promise<Project> => {
  const cwd = await realpath(options.cwd).catch((error: unknown) => {
    throw new AdjutantError("invalid_argument", `the working directory ${options.cwd} does not exist`, { cause: error })
  })
  const named = options.configPath ?? envValue(options.env, "ADJUTANT_CONFIG")
  if (named !== undefined) {
    const configPath = resolve(cwd, named)
    return { configPath, projectRoot: dirname(configPath), isNamed: true }
  }
  const gitRoot = await findGitRoot(cwd)
  for (const folder of await searched(cwd, gitRoot, options.env)) {
    const candidate = join(folder, configFileName)
    if (await exists(candidate)) return { configPath: candidate, projectRoot: folder, isNamed: false }
  }
  return { configPath: null, projectRoot: gitRoot ?? cwd, isNamed: false }
}

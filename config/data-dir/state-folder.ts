import { createHash } from "node:crypto"
import { homedir } from "node:os"
import { basename, isAbsolute, join } from "node:path"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { Environment } from "../../domain/environment.ts"
import { stateFolderName } from "../../domain/workspace/data-directory.ts"
import { envValue } from "../environment.ts"
import { isFolder } from "./prepare-data-dir.ts"

/** Returns the home directory; undefined for a user without one, such as a uid that the system does not know. */
const homeOf = (env: Environment): string | undefined => {
  const named = envValue(env, "HOME")
  if (named !== undefined) return named
  try {
    return homedir()
  } catch {
    return undefined
  }
}

const belowHome = (env: Environment, home: string): string => {
  switch (process.platform) {
    case "darwin":
      return join(home, "Library", "Application Support")
    case "win32":
      return envValue(env, "LOCALAPPDATA") ?? join(home, "AppData", "Local")
    default:
      return join(home, ".local", "state")
  }
}

const namedState = (env: Environment): string | undefined => {
  const named = envValue(env, "XDG_STATE_HOME")
  return named !== undefined && isAbsolute(named) ? named : undefined
}

/** Returns the folder of this user's state; undefined if the user has neither `XDG_STATE_HOME` nor a home directory. It can be missing. */
export const stateFolder = (env: Environment): string | undefined => {
  const home = homeOf(env)
  const folder = namedState(env) ?? (home === undefined ? undefined : belowHome(env, home))
  return folder === undefined ? undefined : join(folder, stateFolderName)
}

const longestName = 40

/** Returns the name of the data directory of a project: that of its folder, and a hash, since folders can have the same name. */
export const dataDirNameOf = (projectRoot: string): string => {
  const name = basename(projectRoot)
    .replaceAll(/[^\w.-]/g, "-")
    .replace(/^\.+/, "")
    .slice(0, longestName)
  const hash = createHash("sha256").update(projectRoot).digest("hex").slice(0, 8)
  return `${name === "" ? "project" : name}-${hash}`
}

/**
 * Returns the data directory of a project, below the user's state folder. It can be missing.
 * @param projectRoot the project's real path
 * @throws AdjutantError `data_dir_unusable` if the user has no home directory; nothing else takes its place
 */
export const defaultDataDir = async (projectRoot: string, env: Environment): Promise<string> => {
  const folder = stateFolder(env)
  const home = homeOf(env)
  if (folder === undefined || (namedState(env) === undefined && !(await isFolder(home ?? ""))))
    throw new AdjutantError(
      "data_dir_unusable",
      `there is no home directory${home === undefined ? "" : ` ${home}`} for the data directory of ${projectRoot}: name a data directory with --data-dir or ADJUTANT_DATA_DIR`,
    )
  return join(folder, dataDirNameOf(projectRoot))
}

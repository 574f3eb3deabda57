import type { Environment } from "../environment.ts"
import { stateFolderName } from "./data-directory.ts"

/** What the machine says about the user's home. */
export interface HomeOf {
  /** Throws for a user without a home directory. */
  readonly homedir: () => string
  readonly existsSync: (path: string) => boolean
}

const homeFolder = (env: Environment, { homedir, existsSync }: HomeOf): string | undefined => {
  try {
    const home = env["HOME"] || homedir()
    return existsSync(home) ? home : undefined
  } catch {
    return undefined
  }
}

/**
 * Returns Adjutant's folder for what can be made again: downloaded programs, compiled code, what package managers download. It can be missing. Undefined
 * without a home directory: nothing is to create one.
 */
export const cacheFolder = (env: Environment, machine: HomeOf): string | undefined => {
  const home = env["XDG_CACHE_HOME"] ? "" : homeFolder(env, machine)
  if (home === undefined) return undefined
  return `${env["XDG_CACHE_HOME"] || `${home}/.cache`}/${stateFolderName}`
}

import { createHash, randomUUID } from "node:crypto"
import { existsSync } from "node:fs"
import { access, constants, mkdir, readdir, realpath, rename, rm } from "node:fs/promises"
import { homedir } from "node:os"
import { join } from "node:path"
import type { Environment } from "../../../domain/environment.ts"
import { systemCode } from "../../../domain/text/error-message.ts"
import { cacheFolder } from "../../../domain/workspace/cache-folder.ts"
import { bytesBelow } from "./bytes-below.ts"

/** The folder in which package managers keep what they download, for the commands of one project. Nothing outside of its sandboxes uses it. */
export interface CacheLayer {
  readonly path: string
  /** Empties the folder if it has grown too large; says so. */
  trim(): Promise<boolean>
}

export interface LayerLimits {
  readonly bytes: number
  /** The folder is measured at most this often. */
  readonly everyMs: number
}

const defaultLimits: LayerLimits = { bytes: 10 * 1024 ** 3, everyMs: 10 * 60_000 }

/** Returns the folder of the project with a data directory, which can be missing; undefined for a user without a cache folder. */
const layerOf = (dataDir: string, env: Environment): string | undefined => {
  const folder = cacheFolder(env, { homedir, existsSync })
  if (folder === undefined) return undefined
  return join(folder, "sandbox", createHash("sha256").update(dataDir).digest("hex").slice(0, 16))
}

/** Returns the variables with which package managers use a folder. */
export const cacheVariables = (folder: string): Readonly<Record<string, string>> => ({
  // pip, uv, Go's builds, Deno, yarn, Composer, ccache and others.
  XDG_CACHE_HOME: `${folder}/xdg`,
  CARGO_HOME: `${folder}/cargo`,
  GOPATH: `${folder}/go`,
  // Otherwise Go's modules could not be erased.
  GOFLAGS: "-modcacherw",
  npm_config_cache: `${folder}/npm`,
  pnpm_config_store_dir: `${folder}/pnpm`,
  // Where there is no network, npm otherwise tries for more than a minute.
  npm_config_prefer_offline: "true",
  npm_config_fetch_retry_mintimeout: "1000",
  BUN_INSTALL_CACHE_DIR: `${folder}/bun`,
  GRADLE_USER_HOME: `${folder}/gradle`,
  MAVEN_ARGS: `-Dmaven.repo.local=${folder}/maven`,
  NUGET_PACKAGES: `${folder}/nuget`,
})

/** Erases the contents of a folder. Commands that run meanwhile find it empty. */
const empty = async (folder: string): Promise<void> => {
  const old = join(folder, "..", `.old-${randomUUID()}`)
  await mkdir(old, { mode: 0o700 })
  for (const name of await readdir(folder)) await rename(join(folder, name), join(old, name))
  await rm(old, { recursive: true, force: true })
}

/** `ENOENT`: what Node reports of a folder and its parents in a place that is read-only. */
const unwritable: ReadonlySet<string> = new Set(["EROFS", "EACCES", "EPERM", "ENOTDIR", "EEXIST", "ENOENT"])

/** Returns the real path of a folder, and creates it if it is not there; undefined where nothing can be written, such as in a read-only home. */
const writableFolder = async (folder: string): Promise<string | undefined> => {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await access(folder, constants.W_OK)
    return await realpath(folder)
  } catch (error) {
    if (!unwritable.has(systemCode(error) ?? "")) throw error
    return undefined
  }
}

/** Creates the layer of a project, if it is not there. Undefined if it cannot be written: then commands keep nothing that they download. */
export const openCacheLayer = async (
  dataDir: string,
  env: Environment,
  limits: LayerLimits = defaultLimits,
): Promise<CacheLayer | undefined> => {
  const folder = layerOf(dataDir, env)
  const path = folder === undefined ? undefined : await writableFolder(folder)
  if (path === undefined) return undefined
  let measuredAt = Number.NEGATIVE_INFINITY
  return {
    path,
    async trim() {
      if (performance.now() - measuredAt < limits.everyMs) return false
      measuredAt = performance.now()
      if ((await bytesBelow(path)) <= limits.bytes) return false
      await empty(path)
      return true
    },
  }
}

/** Erases the layer of a project. Returns how many bytes it had. */
export const eraseCacheLayer = async (dataDir: string, env: Environment): Promise<number> => {
  const folder = layerOf(dataDir, env)
  if (folder === undefined) return 0
  const bytes = await bytesBelow(folder)
  await rm(folder, { recursive: true, force: true })
  return bytes
}

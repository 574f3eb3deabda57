import { existsSync, readdirSync, realpathSync, statSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import type { Environment } from "../../../domain/environment.ts"
import { cacheFolder } from "../../../domain/workspace/cache-folder.ts"
import { dataRootOf, stateFolderName } from "../../../domain/workspace/data-directory.ts"
import { isInside } from "../../../domain/workspace/is-inside.ts"
import type { MaskedPath } from "../masked-paths.ts"
import { systemDirectories } from "../system-paths.ts"
import { type CacheLayer, openCacheLayer } from "./cache-layer.ts"
import { findToolchains, type Toolchain } from "./find-toolchains.ts"
import { hiddenBecause, hiddenPaths, type HomeAndOwn, isKeyFile } from "./secret-paths.ts"

/** What the configuration lets commands see besides the system and their working directory. */
export interface ViewSettings {
  /** Paths that are absolute or begin with `~/`. */
  readonly read: readonly string[]
  readonly write: readonly string[]
  /** Whether toolchains below the home directory are found and shown. */
  readonly toolchains: boolean
  /** That of the user: PATH, HOME and the variables of version managers. */
  readonly env: Environment
  /** Absent: commands have no folder for what they download. */
  readonly dataDir?: string
}

/** What commands of a sandbox see besides the system and their working directory. */
export interface SandboxView {
  readonly toolchains: readonly Toolchain[]
  /** What is shown read-only, toolchains included. */
  readonly readOnly: readonly string[]
  readonly writable: readonly string[]
  /** What is inside of that and hidden. */
  readonly masked: readonly MaskedPath[]
  /** Variables by which programs find toolchains. */
  readonly env: Readonly<Record<string, string>>
  /** Paths of the settings that are not shown, with the reason. */
  readonly refused: readonly { readonly path: string; readonly why: string }[]
  /** Absent also where it cannot be written. */
  readonly layer?: CacheLayer | undefined
  readonly place: HomeAndOwn
}

const realOf = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

const socketPath = (value: string | undefined): readonly string[] => {
  const path = value?.replace(/^unix:\/\//, "") ?? ""
  return path.startsWith("/") ? [realOf(path)] : []
}

/** Returns Adjutant's own folders, and the sockets of agents and engines that the environment names. */
const ownPaths = (home: string, { env, dataDir }: ViewSettings): readonly string[] => [
  ...(dataDir === undefined ? [] : [dataRootOf(realOf(dataDir))]),
  realOf(join(env["XDG_STATE_HOME"] || join(home, ".local/state"), stateFolderName)),
  ...[cacheFolder({ ...env, HOME: home }, { homedir, existsSync })].flatMap((folder) =>
    folder === undefined ? [] : [realOf(folder)],
  ),
  ...[env["SSH_AUTH_SOCK"], env["DOCKER_HOST"], env["CONTAINER_HOST"], env["XDG_RUNTIME_DIR"]].flatMap(socketPath),
]

const typeOf = (path: string): MaskedPath["type"] => (statSync(path).isDirectory() ? "directory" : "file")

/** Returns what is hidden inside of what is shown. */
export const maskedInside = (shown: readonly string[], place: HomeAndOwn): readonly MaskedPath[] =>
  [...new Set(hiddenPaths(place))]
    .map((path) => realOf(path))
    .filter((path) => existsSync(path) && shown.some((each) => isInside(each, path)))
    .map((path) => ({ path, type: typeOf(path) }))

const homeOf = (env: Environment): string => realOf(env["HOME"] || homedir())

/** Returns the real paths that a setting shows, and why it does not show the others. */
const resolvePaths = (paths: readonly string[], place: HomeAndOwn, isWritable: boolean) => {
  const shown: string[] = []
  const refused: { path: string; why: string }[] = []
  for (const path of paths) {
    const real = realOf(path === "~" ? place.home : path.replace(/^~\//, `${place.home}/`))
    const inside = isWritable ? hiddenPaths(place).find((each) => existsSync(each) && isInside(real, each)) : undefined
    const why = existsSync(real)
      ? (hiddenBecause(real, place) ?? (inside === undefined ? undefined : `it contains ${inside}, which stays hidden`))
      : "it does not exist"
    if (why === undefined) shown.push(real)
    else refused.push({ path, why })
  }
  return { shown, refused }
}

const maxEntries = 2_000

/** Returns the files with private keys in directories that the settings show, and one level below. */
const keyFilesIn = (directories: readonly string[]): readonly MaskedPath[] => {
  const namesIn = (directory: string) => {
    try {
      return readdirSync(directory, { withFileTypes: true }).slice(0, maxEntries)
    } catch {
      return []
    }
  }
  const below = directories.flatMap((directory) =>
    namesIn(directory)
      .filter((entry) => entry.isDirectory())
      .map((entry) => join(directory, entry.name)),
  )
  return [...directories, ...below].flatMap((directory) =>
    namesIn(directory)
      .filter((entry) => entry.isFile() && isKeyFile(entry.name))
      .map((entry) => ({ path: join(directory, entry.name), type: "file" as const })),
  )
}

/** Variables that name the certificates of a company's network, which are not secret. Programs need them for hosts that a person opens. */
const certificateVariables = [
  ...["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO"],
  ...["CARGO_HTTP_CAINFO", "PIP_CERT"],
]

const certificatesOf = (env: Environment, place: HomeAndOwn): Readonly<Record<string, string>> =>
  Object.fromEntries(
    certificateVariables.flatMap((name) => {
      const path = env[name]
      if (path?.startsWith("/") !== true || !existsSync(path) || typeOf(path) !== "file") return []
      return hiddenBecause(realOf(path), place) === undefined ? [[name, path]] : []
    }),
  )

const isHidden = (path: string): boolean => !systemDirectories.some((directory) => isInside(directory, path))

/** Finds out what the commands of a sandbox see. */
export const resolveView = async (settings: ViewSettings): Promise<SandboxView> => {
  const { env, dataDir } = settings
  const home = homeOf(env)
  const place = { home, own: ownPaths(home, settings) }
  const found = settings.toolchains ? findToolchains(home, env) : { found: [], env: {} }
  const toolchains = found.found.filter(({ path }) => hiddenBecause(path, place) === undefined)
  const read = resolvePaths(settings.read, place, false)
  const write = resolvePaths(settings.write, place, true)
  const certificates = certificatesOf(env, place)
  const readOnly = [
    ...toolchains.map(({ path }) => path),
    ...Object.values(certificates).filter(isHidden),
    ...read.shown,
  ]
  const masked = maskedInside(readOnly, place)
  const keyFiles = keyFilesIn(read.shown)
  return {
    toolchains,
    readOnly,
    writable: write.shown,
    masked: [...masked, ...keyFiles.filter(({ path }) => !masked.some((each) => isInside(each.path, path)))],
    env: { ...found.env, ...certificates },
    refused: [...read.refused, ...write.refused],
    ...(dataDir === undefined || !settings.toolchains ? {} : { layer: await openCacheLayer(realOf(dataDir), env) }),
    place,
  }
}

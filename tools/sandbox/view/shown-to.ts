import { isInside } from "../../../domain/workspace/is-inside.ts"
import type { MaskedPath } from "../masked-paths.ts"
import { cacheVariables } from "./cache-layer.ts"
import { type SandboxView, maskedInside } from "./sandbox-view.ts"
import { lstatSync } from "node:fs"
import { dirname, join } from "node:path"
import { dataDirName } from "../../../domain/workspace/data-directory.ts"
import { hiddenBecause } from "./secret-paths.ts"

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined

/** The root of the git repository above a working directory, as far as commands see it. */
interface RepositoryAbove {
  readonly root: string
  readonly masked: readonly MaskedPath[]
}

/**
 * Returns the repository in whose sub-folder a command runs, so that git works there; undefined if there is none, or its root is the home directory or
 * contains too much.
 */
const repositoryAbove = (cwd: string, { place }: Pick<SandboxView, "place">): RepositoryAbove | undefined => {
  if (isThere(join(cwd, ".git"))) return undefined
  for (let root = dirname(cwd); root !== place.home && hiddenBecause(root, place) === undefined; root = dirname(root)) {
    if (!isThere(join(root, ".git"))) continue
    const own = { ...place, own: [...place.own, join(root, dataDirName)] }
    return { root, masked: maskedInside([root], own) }
  }
  return undefined
}

/** What one command sees besides the system and its working directory. */
export interface Shown {
  readonly readOnly: readonly string[]
  readonly writable: readonly string[]
  readonly masked: readonly MaskedPath[]
  readonly env: Readonly<Record<string, string>>
  /** Where the folder for downloads is outside. */
  readonly cacheDir?: string | undefined
}

interface CommandPlace {
  readonly cwd: string
  /** Of a task that writes to nothing else. */
  readonly scratchDir: string | undefined
  /** Where the command finds the folder for downloads. */
  readonly cacheDirectory: string | undefined
}

/** Returns what a view shows to a command. A task in a sandbox of its own sees toolchains, and nothing outside of its scratch folder is writable. */
export const shownTo = (view: SandboxView | undefined, { cwd, scratchDir, cacheDirectory }: CommandPlace): Shown => {
  if (view === undefined) return { readOnly: [], writable: [], masked: [], env: {} }
  const { readOnly, writable, masked, env, layer } = view
  if (scratchDir !== undefined) return { readOnly: [...readOnly, ...writable], writable: [], masked, env }
  const above = repositoryAbove(cwd, view)
  // The working directory can be a mount of its own, at which git would stop to look for the repository.
  const variables = above === undefined ? env : { ...env, GIT_DISCOVERY_ACROSS_FILESYSTEM: "1" }
  return {
    readOnly: above === undefined ? readOnly : [above.root, ...readOnly],
    writable,
    // The working directory itself is hidden by nothing: what is closed in it, its own rules say.
    masked: [...masked, ...(above?.masked ?? [])].filter(({ path }) => !isInside(path, cwd)),
    ...(layer === undefined || cacheDirectory === undefined
      ? { env: variables }
      : { env: { ...variables, ...cacheVariables(cacheDirectory) }, cacheDir: layer.path }),
  }
}

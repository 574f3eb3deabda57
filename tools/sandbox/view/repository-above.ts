import { lstatSync } from "node:fs"
import { dirname, join } from "node:path"
import type { MaskedPath } from "../masked-paths.ts"
import { dataDirName } from "../../../domain/workspace/data-directory.ts"
import { maskedInside, type SandboxView } from "./sandbox-view.ts"
import { hiddenBecause } from "./secret-paths.ts"

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined

/** The root of the git repository above a working directory, as far as commands see it. */
export interface RepositoryAbove {
  readonly root: string
  readonly masked: readonly MaskedPath[]
}

/**
 * Returns the repository in whose sub-folder a command runs, so that git works there; undefined if there is none, or its root is the home directory or
 * contains too much.
 */
export const repositoryAbove = (cwd: string, { place }: Pick<SandboxView, "place">): RepositoryAbove | undefined => {
  if (isThere(join(cwd, ".git"))) return undefined
  for (let root = dirname(cwd); root !== place.home && hiddenBecause(root, place) === undefined; root = dirname(root)) {
    if (!isThere(join(root, ".git"))) continue
    const own = { ...place, own: [...place.own, join(root, dataDirName)] }
    return { root, masked: maskedInside([root], own) }
  }
  return undefined
}

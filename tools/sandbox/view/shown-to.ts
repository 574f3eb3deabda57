import { isInside } from "../../../domain/workspace/is-inside.ts"
import type { MaskedPath } from "../masked-paths.ts"
import { cacheVariables } from "./cache-layer.ts"
import { repositoryAbove } from "./repository-above.ts"
import type { SandboxView } from "./sandbox-view.ts"

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

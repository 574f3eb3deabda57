import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import type { FilesystemConfig } from "@anthropic-ai/sandbox-runtime"
import { isInside } from "../../../domain/workspace/is-inside.ts"
import type { MaskedPath } from "../masked-paths.ts"
import type { FixedPaths } from "../../../domain/workspace/protected-paths.ts"
import { nodePath, systemDirectories } from "../system-paths.ts"

export interface RuntimeView {
  readonly platform: "linux" | "darwin"
  /** Real path of the writable directory. */
  readonly cwd: string
  readonly hiddenDirs: readonly string[]
  /** Parts of `cwd` that are read-only. The runtime keeps the directories on the way to them in place. */
  readonly fixed: FixedPaths
  readonly readOnlyPaths: readonly string[]
  /** More directories that are writable. */
  readonly writablePaths: readonly string[]
  readonly masked: readonly MaskedPath[]
  /** Directory for temporary files of this command. Not set on Linux, where it has an empty `/tmp`. */
  readonly tmp?: string
  /** The scratch folder of a task in a sandbox of its own: then `cwd` is read-only. */
  readonly scratchDir?: string | undefined
  /** Sockets and pipes below `cwd` that are hidden. */
  readonly closedPaths: readonly string[]
}

/** Returns a path that is not interpreted as a pattern. */
const literal = (path: string) => ({ path, literal: true }) as const

/**
 * Returns what has to be readable so that a path is, without what is writable in it: the runtime mounts what is readable last, and what contains a writable
 * directory would make it read-only. What is named as readable is not hidden by being in a hidden directory, so that is left out.
 */
const readableAround = (path: string, writable: readonly string[], hidden: readonly string[]): readonly string[] => {
  if ([...writable, ...hidden].some((each) => isInside(each, path))) return []
  if (!writable.some((each) => isInside(path, each))) return [path]
  return readdirSync(path).flatMap((name) => readableAround(join(path, name), writable, hidden))
}

/** Directories that all commands of the runtime could write to, and would share, unless denied. */
const sharedTmpDirs = ["/tmp/claude", "/private/tmp/claude"]

/** Directories with users' files on macOS. The rest is the system, of which programs need too many places to list. */
const macPrivateDirs = ["/Users", "/Volumes", "/private/tmp", "/private/var/folders", "/private/var/root"]

/**
 * Returns what a command can read and write, in the runtime's terms. Only the system and the working directory are readable, and of the system only
 * what every user can read.
 */
export const runtimePolicy = (view: RuntimeView): FilesystemConfig => {
  const there = (path: string): boolean => existsSync(path)
  const hidden = view.hiddenDirs.filter(there)
  const shared = sharedTmpDirs.filter((path) => path !== view.cwd)
  const writable = [view.scratchDir ?? view.cwd, ...view.writablePaths, ...(view.tmp === undefined ? [] : [view.tmp])]
  const closedPaths = view.closedPaths.filter(there)
  const masked = view.masked.map(({ path }) => path)
  const system = view.platform === "linux" ? systemDirectories : []
  const closed = view.platform === "linux" ? ["/", "/sys"] : macPrivateDirs
  return {
    denyRead: [
      ...[...closed, ...masked, ...hidden, ...closedPaths].map(literal),
      // The directory itself stays readable, because it is writable by default. Its entries are hidden.
      ...shared.map((path) => `${path}/*`),
    ],
    allowRead: [
      ...[...system, nodePath(process.execPath)].filter(there),
      ...view.readOnlyPaths.filter(there).flatMap((path) => readableAround(path, writable, masked)),
      ...[view.cwd, ...writable].filter(there),
    ].map(literal),
    allowWrite: writable.map(literal),
    denyWrite: [...hidden, ...shared, ...closedPaths, ...view.fixed.readOnly].map(literal),
  }
}

import { existsSync } from "node:fs"
import type { FilesystemConfig } from "@anthropic-ai/sandbox-runtime"
import type { MaskedPath } from "../masked-paths.ts"
import { nodePath, systemDirectories } from "../system-paths.ts"

export interface RuntimeView {
  readonly platform: "linux" | "darwin"
  /** Real path of the writable directory. */
  readonly cwd: string
  readonly hiddenDirs: readonly string[]
  readonly readOnlyPaths: readonly string[]
  readonly masked: readonly MaskedPath[]
  /** Directory for temporary files of this command; on Linux it has an empty `/tmp` anyway. */
  readonly tmp?: string
}

/** A path as it is, whatever characters it has. */
const literal = (path: string) => ({ path, literal: true }) as const

/** Writable for every command of the runtime unless it is denied, and then shared between them. */
const sharedTmpDirs = ["/tmp/claude", "/private/tmp/claude"]

/** Where people's files lie on macOS; the rest is the system, which programs there need in too many places to list. */
const macPrivateDirs = ["/Users", "/Volumes", "/private/tmp", "/private/var/folders", "/private/var/root"]

/**
 * What a command may read and write, in the runtime's terms: nothing but the system and the working directory is readable, and of the
 * system only what is open to everybody.
 */
export const runtimePolicy = (view: RuntimeView): FilesystemConfig => {
  const there = (path: string): boolean => existsSync(path)
  const hidden = view.hiddenDirs.filter(there)
  const shared = sharedTmpDirs.filter((path) => path !== view.cwd)
  const writable = [view.cwd, ...(view.tmp === undefined ? [] : [view.tmp])]
  const system = view.platform === "linux" ? systemDirectories : []
  const closed = view.platform === "linux" ? ["/", "/sys"] : macPrivateDirs
  return {
    denyRead: [
      ...[...closed, ...view.masked.map(({ path }) => path), ...hidden].map(literal),
      // The directory itself stays readable, being writable by default: what is in it is hidden.
      ...shared.map((path) => `${path}/*`),
    ],
    allowRead: [...system, nodePath(process.execPath), ...view.readOnlyPaths, ...writable].filter(there).map(literal),
    allowWrite: writable.map(literal),
    denyWrite: [...hidden, ...shared].map(literal),
  }
}

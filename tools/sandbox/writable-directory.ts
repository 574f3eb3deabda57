import { statSync } from "node:fs"
import { realpath } from "node:fs/promises"
import { sandboxUnavailable } from "./sandbox-unavailable.ts"
import { isSystemDirectory } from "./system-paths.ts"

/**
 * The working directory, a real path, where a sandbox may make it writable.
 * @throws AdjutantError `sandbox_unavailable` where the system itself is there, or a link leads elsewhere
 */
export const writableDirectory = async (cwd: string): Promise<string> => {
  const real = await realpath(cwd)
  if (real !== cwd)
    throw sandboxUnavailable(
      `the sandbox cannot make ${cwd} writable, since a link leads from there to another place; use a directory without links`,
    )
  if (!isSystemDirectory(real)) return real
  throw sandboxUnavailable(
    `The sandbox cannot make ${real} writable, since the system itself is there; use a project directory as the working directory.`,
  )
}

/** True where the worker is root and the directory is not root's. */
export const isOwnedByAnother = (cwd: string): boolean => process.getuid?.() === 0 && statSync(cwd).uid !== 0

import { statSync } from "node:fs"
import { realpath } from "node:fs/promises"
import { sandboxUnavailable } from "../sandbox-unavailable.ts"
import { isSystemDirectory } from "./system-paths.ts"

/**
 * Returns the working directory, a real path, if a sandbox can make it writable.
 * @throws AdjutantError `sandbox_unavailable` if it belongs to the system, or a link replaced it
 */
export const writableDirectory = async (cwd: string): Promise<string> => {
  const real = await realpath(cwd)
  if (real !== cwd)
    throw sandboxUnavailable(
      `the sandbox cannot make ${cwd} writable, since a link leads from there to another place; use a directory without links`,
    )
  if (!isSystemDirectory(real)) return real
  throw sandboxUnavailable(
    `the sandbox cannot make ${real} writable, since it belongs to the system; use a project directory as the working directory`,
  )
}

/** Checks whether the worker is root and another user owns the directory. */
export const isOwnedByAnother = (cwd: string): boolean => process.getuid?.() === 0 && statSync(cwd).uid !== 0

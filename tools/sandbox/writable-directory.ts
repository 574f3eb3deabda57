import { realpath } from "node:fs/promises"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { isSystemDirectory } from "./system-paths.ts"

/**
 * The real path of a working directory that a sandbox may make writable.
 * @throws AdjutantError `sandbox_unavailable` where the system itself is there
 */
export const writableDirectory = async (cwd: string): Promise<string> => {
  const real = await realpath(cwd)
  if (!isSystemDirectory(real)) return real
  throw new AdjutantError(
    "sandbox_unavailable",
    `The sandbox cannot make ${real} writable, since the system itself is there; use a project directory as the working directory.`,
  )
}

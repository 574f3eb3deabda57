import { realpath } from "node:fs/promises"
import { join } from "node:path"
import { isInside } from "../../domain/workspace/is-inside.ts"
import { packageRoot } from "../package-root.ts"

/**
 * Returns whether a configuration is one of the examples that are part of this program. A user who can change those can change the program. A copy of one
 * needs trust as any other configuration: what it names lies where the copy is.
 */
export const isOwnExample = async (configPath: string): Promise<boolean> => {
  try {
    return isInside(await realpath(join(packageRoot(), "examples")), await realpath(configPath))
  } catch {
    return false
  }
}

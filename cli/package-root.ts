import { existsSync } from "node:fs"
import path from "node:path"

/** The folder with Adjutant's own package.json: one above `cli/` in a checkout, two above `dist/cli/` in a package. */
export const packageRoot = (): string => {
  const above = path.dirname(import.meta.dirname)
  return existsSync(path.join(above, "package.json")) ? above : path.dirname(above)
}

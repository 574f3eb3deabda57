import { existsSync } from "node:fs"
import { dirname, join } from "node:path"

/** Returns the directory of Adjutant's package.json: the one above `config/` in a checkout, the one above `dist/` in a package. */
export const packageRoot = (): string => {
  const above = dirname(import.meta.dirname)
  return existsSync(join(above, "package.json")) ? above : dirname(above)
}

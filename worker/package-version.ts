import { existsSync, readFileSync } from "node:fs"
import path from "node:path"

/** Returns the directory of Adjutant's package.json: the one above `worker/` in a checkout, the one above `dist/` in a package. */
export const packageRoot = (): string => {
  const above = path.resolve(import.meta.dirname, "..")
  return existsSync(path.join(above, "package.json")) ? above : path.dirname(above)
}

/** Returns the version in Adjutant's package.json. */
export const packageVersion = (): string => {
  const manifest: unknown = JSON.parse(readFileSync(path.join(packageRoot(), "package.json"), "utf8"))
  return typeof manifest === "object" && manifest !== null && "version" in manifest
    ? String(manifest.version)
    : "unknown"
}

import { readFileSync } from "node:fs"
import path from "node:path"
import { packageRoot } from "../config/package-root.ts"

/** Returns the version in Adjutant's package.json. */
export const packageVersion = (): string => {
  const manifest: unknown = JSON.parse(readFileSync(path.join(packageRoot(), "package.json"), "utf8"))
  return typeof manifest === "object" && manifest !== null && "version" in manifest
    ? String(manifest.version)
    : "unknown"
}

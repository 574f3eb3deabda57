import { existsSync } from "node:fs"
import { isAbsolute, join } from "node:path"
import { AdjutantError } from "../contracts/adjutant-error.ts"

export type StoreLocation =
  | { readonly kind: "sqlite"; readonly path: string }
  | { readonly kind: "postgres"; readonly url: string }

/** Parses `store.url`. Throws `invalid_config`, without the URL, since it may contain a password. */
export const storeLocation = (url: string, dataDir: string): StoreLocation => {
  if (url === "sqlite:") return { kind: "sqlite", path: join(dataDir, "store.db") }
  if (/^postgres(ql)?:\/\//.test(url)) return { kind: "postgres", url }
  const path = /^sqlite:(?:\/\/(?=\/))?([^?#]+)$/.exec(url)?.[1]
  if (path === undefined || !isAbsolute(path))
    throw new AdjutantError(
      "invalid_config",
      "store.url must be sqlite: (a file in the data directory), sqlite:/absolute/path or postgres://user@host/database",
    )
  return { kind: "sqlite", path }
}

/** Returns whether there is no file of an SQLite store yet. */
export const isMissingFile = (location: StoreLocation): boolean =>
  location.kind === "sqlite" && !existsSync(location.path)

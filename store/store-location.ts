import { isAbsolute, join } from "node:path"
import { AdjutantError } from "../contracts/adjutant-error.ts"

/** Path of the SQLite file that `store.url` names. Throws `invalid_config`; the URL may hold a password and is never repeated. */
export const sqlitePathOf = (url: string, dataDir: string): string => {
  if (url === "sqlite:") return join(dataDir, "store.db")
  if (/^postgres(ql)?:/.test(url))
    throw new AdjutantError(
      "invalid_config",
      "store.url names a PostgreSQL store, which this version cannot use: use sqlite: instead.",
    )
  const path = /^sqlite:(?:\/\/(?=\/))?([^?#]+)$/.exec(url)?.[1]
  if (path === undefined || !isAbsolute(path))
    throw new AdjutantError(
      "invalid_config",
      "store.url must be sqlite: (a file in the data directory) or sqlite:/absolute/path.",
    )
  return path
}

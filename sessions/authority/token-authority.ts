import path from "node:path"
import type { LoadedConfig } from "../../config/loaded-config.ts"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { type Authority, narrowAuthority } from "../../domain/caller/authority.ts"
import { builtInCallers } from "../../domain/caller/caller-id.ts"
import { authorityOfScopes, hasScope } from "../../domain/caller/token-rights.ts"

type Loaded = Pick<LoadedConfig, "config" | "projectRoot">

/**
 * Returns what is left of the rights that a token had, after changes of its scopes and of the directories of HTTP callers.
 * @throws AdjutantError `forbidden` if the configuration no longer has the token, or it can start no tasks any more
 */
export const presentAuthority = (loaded: Loaded, name: string, earlier: Authority): Authority => {
  // The configuration does not limit it.
  if (name === builtInCallers.apiToken) return earlier
  const token = loaded.config.http.tokens.find((each) => each.name === name)
  if (token === undefined) throw new AdjutantError("forbidden", `http.tokens no longer has the token ${name}`)
  const scopes = new Set(token.scopes)
  if (!hasScope(scopes, "run")) throw new AdjutantError("forbidden", `the token ${name} no longer has the scope run`)
  const { config, projectRoot } = loaded
  const workspaces = (config.http.workspaces ?? ["."]).map((each) => path.resolve(projectRoot, each))
  return narrowAuthority(earlier, authorityOfScopes(scopes, workspaces))
}

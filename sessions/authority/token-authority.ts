import type { LoadedConfig } from "../../config/loaded-config.ts"
import { workspacesOf } from "../../config/workspaces.ts"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { Scope } from "../../contracts/config/config-services.ts"
import { type Authority, narrowAuthority } from "../../domain/caller/authority.ts"
import { builtInCallers } from "../../domain/caller/caller-id.ts"

type Loaded = Pick<LoadedConfig, "config" | "projectRoot">

/** Checks whether these scopes include another one. `admin` includes all. */
export const hasScope = (scopes: ReadonlySet<Scope>, scope: Scope): boolean => scopes.has(scope) || scopes.has("admin")

/** Returns what a token with these scopes may ask for. */
export const authorityOfScopes = (loaded: Loaded, scopes: ReadonlySet<Scope>): Authority => ({
  approval: hasScope(scopes, "approve") ? "all" : "policy",
  directories: hasScope(scopes, "admin") ? "any" : workspacesOf(loaded),
})

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
  return narrowAuthority(earlier, authorityOfScopes(loaded, scopes))
}

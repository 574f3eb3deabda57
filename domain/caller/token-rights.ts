import type { Scope } from "../../contracts/config/config-services.ts"
import type { Authority } from "./authority.ts"

/** Checks whether these scopes include another one. `admin` includes all. */
export const hasScope = (scopes: ReadonlySet<Scope>, scope: Scope): boolean => scopes.has(scope) || scopes.has("admin")

/** Returns what a token with these scopes may ask for. `workspaces`: the directories of HTTP callers. */
export const authorityOfScopes = (scopes: ReadonlySet<Scope>, workspaces: readonly string[]): Authority => ({
  approval: hasScope(scopes, "approve") ? "all" : "policy",
  directories: hasScope(scopes, "admin") ? "any" : workspaces,
})

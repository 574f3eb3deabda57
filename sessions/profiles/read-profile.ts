import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { Agent } from "../../contracts/http/agents.ts"
import { profileNames } from "../../domain/prompts/builtin-profiles.ts"
import { describeAgent } from "../../domain/prompts/describe-agents.ts"
import { redactTexts } from "../../domain/text/redact.ts"
import { didYouMean } from "../../domain/text/suggest.ts"
import type { Store } from "../../store/store.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { currentProfiles, type ProfilesContext } from "./stored-profiles.ts"

export const profileNotFound = (name: string, known: readonly string[]): AdjutantError =>
  new AdjutantError(
    "profile_not_found",
    `there is no agent ${name}${didYouMean(name, known)}; GET /v1/agents lists them`,
  )

/** Returns where a profile comes from. A built-in profile that the configuration changes comes from the configuration. */
export const sourceOf = (name: string, context: ProfilesContext, isStored: boolean): Agent["source"] => {
  if (Object.hasOwn(context.loaded.config.agents, name)) return "config"
  return isStored ? "store" : "built-in"
}

/** Returns one profile with its settings, without the values of its variables and without known secrets. @throws AdjutantError `profile_not_found` */
export const readProfile = async (
  context: ProfilesContext & Pick<SessionsContext, "redact"> & { readonly store: Pick<Store, "profiles" | "sessions"> },
  name: string,
): Promise<Agent> => {
  const { agents, stored: all } = await currentProfiles(context)
  const found = describeAgent(name, agents, await context.store.sessions.listOpen())
  if (found === undefined) throw profileNotFound(name, profileNames(agents))
  const stored = all.get(name)
  return {
    ...found,
    profile: { ...redactTexts(found.profile, context.redact) },
    source: sourceOf(name, context, stored !== undefined),
    version: stored?.version ?? null,
    updated_at: stored?.updatedAt ?? null,
    updated_by: stored?.updatedBy ?? null,
  }
}

import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { Agent } from "../../contracts/http/agents.ts"
import { profileNames } from "../../domain/profiles/builtin-profiles.ts"
import { describeAgent } from "../../domain/profiles/describe-agents.ts"
import { redactTexts } from "../../domain/text/redact.ts"
import { didYouMean } from "../../domain/text/suggest.ts"
import type { Store } from "../../store/store.ts"
import type { SessionsContext } from "../sessions-context.ts"
import { type CurrentProfiles, currentProfiles, type ProfilesContext, type StoredEntry } from "./stored-profiles.ts"

export const profileNotFound = (name: string, known: readonly string[]): AdjutantError =>
  new AdjutantError(
    "profile_not_found",
    `there is no agent ${name}${didYouMean(name, known)}; GET /v1/agents lists them`,
  )

/** Returns where a profile comes from. A built-in profile that the configuration changes comes from the configuration. */
export const profileSource = (name: string, context: ProfilesContext, isStored: boolean): Agent["source"] => {
  if (Object.hasOwn(context.loaded.config.agents, name)) return "config"
  return isStored ? "store" : "built-in"
}

/** The profiles that apply, the open sessions, and what the store says of one profile. */
interface ProfileFacts {
  readonly agents: CurrentProfiles["agents"]
  readonly open: Awaited<ReturnType<Store["sessions"]["listOpen"]>>
  readonly stored: Pick<StoredEntry, "version" | "updatedAt" | "updatedBy"> | undefined
}

/** Returns one profile with its settings, without the values of its variables and without known secrets. @throws AdjutantError `profile_not_found` */
export const profileView = (
  context: ProfilesContext & Pick<SessionsContext, "redact">,
  name: string,
  { agents, open, stored }: ProfileFacts,
): Agent => {
  const found = describeAgent(name, agents, open)
  if (found === undefined) throw profileNotFound(name, profileNames(agents))
  return {
    ...found,
    profile: { ...redactTexts(found.profile, context.redact) },
    source: profileSource(name, context, stored !== undefined),
    version: stored?.version ?? null,
    updated_at: stored?.updatedAt ?? null,
    updated_by: stored?.updatedBy ?? null,
  }
}

/** Reads one profile, as `profileView` shows it. @throws AdjutantError `profile_not_found` */
export const readProfile = async (
  context: ProfilesContext & Pick<SessionsContext, "redact"> & { readonly store: Pick<Store, "profiles" | "sessions"> },
  name: string,
): Promise<Agent> => {
  const { agents, stored } = await currentProfiles(context)
  return profileView(context, name, { agents, open: await context.store.sessions.listOpen(), stored: stored.get(name) })
}

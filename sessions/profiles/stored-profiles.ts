import type { LoadedConfig } from "../../config/loaded-config.ts"
import type { Config } from "../../contracts/config/config.ts"
import { type StoredProfile, storedProfileSchema } from "../../contracts/config/stored-profile.ts"
import { widenedSubagents } from "../../domain/limits/widened-subagents.ts"
import { findProfile } from "../../domain/profiles/builtin-profiles.ts"
import type { ProfileRow, Store } from "../../store/store.ts"
import type { SessionsContext } from "../sessions-context.ts"

/** Returns whether a profile can be in the store only, which must be open before it is known. */
export const mayBeStored = (name: string, { agents, profiles }: Config): boolean =>
  profiles.source === "store" && findProfile(name, agents) === undefined

/** What is needed to read the profiles that apply. */
export type ProfilesContext = Pick<SessionsContext, "loaded" | "logger"> & { readonly store: Pick<Store, "profiles"> }

/** A profile of the store that applies. */
export interface StoredEntry extends Omit<ProfileRow, "profile"> {
  readonly profile: StoredProfile
}

/** Returns the profile without settings for its sub-agents that the configuration, which may be stricter by now, does not allow. */
const withinConfig = (name: string, profile: StoredProfile, { subagents }: Config): StoredProfile => {
  if (profile.type !== "llm" || profile.subagents === undefined) return profile
  const widened: readonly string[] = widenedSubagents(profile.subagents, subagents, name)
  const kept = Object.entries(profile.subagents).filter(([key]) => !widened.includes(key))
  return { ...profile, subagents: Object.fromEntries(kept) }
}

/**
 * Returns the profiles of the store that apply, by name: none unless the configuration says so, and none with the name of a profile that it contains. A row
 * that the schema does not accept, which another release may have written, is left out with a warning.
 */
const storedProfiles = async ({
  loaded: { config },
  store,
  logger,
}: ProfilesContext): Promise<ReadonlyMap<string, StoredEntry>> => {
  if (config.profiles.source !== "store") return new Map()
  const entries = (await store.profiles.list()).flatMap((row): readonly StoredEntry[] => {
    if (findProfile(row.name, config.agents) !== undefined) return []
    const parsed = storedProfileSchema.safeParse(row.profile)
    if (parsed.success) return [{ ...row, profile: withinConfig(row.name, parsed.data, config) }]
    logger.warn({ profile: row.name }, "a profile in the store is not valid and does not apply")
    return []
  })
  return new Map(entries.map((entry) => [entry.name, entry]))
}

/** The profiles that apply, and which of them are in the store. */
export interface CurrentProfiles {
  readonly agents: Config["agents"]
  readonly stored: ReadonlyMap<string, StoredEntry>
}

/** Returns the profiles that apply now: those of the configuration, then those of the store. */
export const currentProfiles = async (context: ProfilesContext): Promise<CurrentProfiles> => {
  const stored = await storedProfiles(context)
  const agents = { ...context.loaded.config.agents }
  for (const [name, { profile }] of stored) agents[name] = profile
  return { agents, stored }
}

/** Returns the configuration with the profiles of the store. */
export const withStoredProfiles = async (context: ProfilesContext): Promise<LoadedConfig> => {
  const { loaded } = context
  return { ...loaded, config: { ...loaded.config, agents: (await currentProfiles(context)).agents } }
}

import { profileNames } from "../../domain/profiles/builtin-profiles.ts"
import { type ProfileProblem, profileProblems, unknownShared } from "../../domain/profiles/profile-problems.ts"
import { currentProfiles, type ProfilesContext } from "./stored-profiles.ts"

const problemText = ({ path, message }: ProfileProblem, place: string): string =>
  `${place}${path.join(".")}: ${message}; until it is created, no sub-agent can run as it`

/**
 * Returns the names in `allowAgents` that no profile has, in the configuration and in the profiles of the store, each with its place. Nothing if the profiles
 * are in the configuration only, because reading it refuses such names then.
 */
export const unknownAgents = async (context: ProfilesContext): Promise<readonly string[]> => {
  const { config } = context.loaded
  if (config.profiles.source !== "store") return []
  const { agents, stored } = await currentProfiles(context)
  const known = profileNames(agents)
  const shared = unknownShared(config.subagents, known).map((problem) => problemText(problem, ""))
  const own = Object.entries(agents).flatMap(([name, profile]) => {
    const place = stored.has(name) ? `profile ${name} in the store: ` : `agents.${name}.`
    return profileProblems(profile, known).map((problem) => problemText(problem, place))
  })
  return [...shared, ...own]
}

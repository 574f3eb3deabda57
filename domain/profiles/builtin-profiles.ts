import type { AgentProfile, LlmProfile } from "../../contracts/config/agent-profile.ts"
import type { Config } from "../../contracts/config/config.ts"
import { type BuiltinProfileName, builtinProfileNames, isBuiltinProfileName } from "../prompts/role-prompts.ts"
import { readingToolNames } from "../tools/tool-names.ts"

const reading = { type: "llm", isolated: false, tools: [...readingToolNames], delegation: "none" } as const

const builtinProfiles: Readonly<Record<BuiltinProfileName, LlmProfile>> = {
  general: {
    type: "llm",
    isolated: false,
    description: "Carries out whole tasks, with all tools",
    delegation: "sessions",
  },
  explore: { ...reading, tools: [...reading.tools], description: "Investigates and answers questions, read-only" },
  plan: { ...reading, tools: [...reading.tools], description: "Plans a change for others to make, read-only" },
  summary: { ...reading, tools: [...reading.tools], description: "Summarises long material, read-only" },
}

/** The profile assumed for a caller outside any run: the default profile of a run. */
export const outsideCallerAgent: BuiltinProfileName = "general"

const definedOf = (profile: LlmProfile): Partial<LlmProfile> =>
  Object.fromEntries(Object.entries(profile).filter(([, value]) => value !== undefined))

/** Returns the profile with a name: the configured one, merged over the built-in one of the same name; undefined if there is none. */
export const findProfile = (name: string, agents: Config["agents"]): AgentProfile | undefined => {
  const configured = Object.hasOwn(agents, name) ? agents[name] : undefined
  const builtin = isBuiltinProfileName(name) ? builtinProfiles[name] : undefined
  if (configured === undefined) return builtin
  if (configured.type !== "llm" || builtin === undefined) return configured
  return { ...builtin, ...definedOf(configured) }
}

/** Returns the settings for the sub-agents of a profile: its own take precedence over those for all. */
export const subagentsOfProfile = <Settings extends object>(
  shared: Settings,
  profile: AgentProfile | undefined,
): Settings => ({
  ...shared,
  ...Object.fromEntries(
    Object.entries((profile?.type === "llm" ? profile.subagents : undefined) ?? {}).filter(
      ([, value]) => value !== undefined,
    ),
  ),
})

/** Returns the settings for the sub-agents of a caller outside any run. */
export const outsideSubagents = <Settings extends object>(shared: Settings, agents: Config["agents"]): Settings =>
  subagentsOfProfile(shared, findProfile(outsideCallerAgent, agents))

/** Returns the names of all profiles, the built-in ones first. */
export const profileNames = (agents: Config["agents"]): readonly string[] => [
  ...new Set([...builtinProfileNames, ...Object.keys(agents)]),
]

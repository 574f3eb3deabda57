import type { AgentProfile, LlmProfile } from "../../contracts/config/agent-profile.ts"
import type { Config } from "../../contracts/config/config.ts"
import { type BuiltinProfileName, builtinProfileNames, isBuiltinProfileName } from "./role-prompts.ts"
import { readingToolNames } from "../tools/tool-names.ts"

const reading = { type: "llm", isolated: false, tools: [...readingToolNames], delegation: "none" } as const

const builtinProfiles: Readonly<Record<BuiltinProfileName, LlmProfile>> = {
  general: {
    type: "llm",
    isolated: false,
    description: "Carries out whole tasks with all tools",
    delegation: "sessions",
  },
  explore: { ...reading, tools: [...reading.tools], description: "Finds things out and changes nothing" },
  plan: { ...reading, tools: [...reading.tools], description: "Prepares a change for others to make" },
  summary: { ...reading, tools: [...reading.tools], description: "Makes long material short" },
}

/** The profile that counts as that of a caller outside any run, who has none of its own: the one that a run has by default. */
export const outsideCallerAgent: BuiltinProfileName = "general"

const definedOf = (profile: LlmProfile): Partial<LlmProfile> =>
  Object.fromEntries(Object.entries(profile).filter(([, value]) => value !== undefined))

/** The profile of a name: a configured one, laid over the built-in one of the same name; undefined where there is none. */
export const findProfile = (name: string, agents: Config["agents"]): AgentProfile | undefined => {
  const configured = Object.hasOwn(agents, name) ? agents[name] : undefined
  const builtin = isBuiltinProfileName(name) ? builtinProfiles[name] : undefined
  if (configured === undefined) return builtin
  if (configured.type !== "llm" || builtin === undefined) return configured
  return { ...builtin, ...definedOf(configured) }
}

/** All that can be started, the built-in ones first. */
export const profileNames = (agents: Config["agents"]): readonly string[] => [
  ...new Set([...builtinProfileNames, ...Object.keys(agents)]),
]

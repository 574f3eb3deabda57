import type { AgentProfile } from "../../contracts/config/agent-profile.ts"
import type { Config } from "../../contracts/config/config.ts"
import type { Delegation } from "../../contracts/config/agent-profile.ts"
import { redactionMark } from "../text/redact.ts"
import { findProfile, profileNames } from "./builtin-profiles.ts"

/** A profile as lists show it. */
interface AgentSummary {
  readonly id: string
  readonly type: AgentProfile["type"]
  readonly delegation: Delegation
  readonly description: string | null
  /** Number of open sessions that run as this profile. */
  readonly active: number
}

/** A session that is open, as far as profiles are concerned. */
interface OpenSession {
  readonly agent: string
  readonly deletedAt: string | null
}

const agentSummary = (id: string, profile: AgentProfile | undefined, open: readonly OpenSession[]): AgentSummary => ({
  id,
  type: profile?.type ?? "llm",
  delegation: profile?.type === "llm" ? (profile.delegation ?? "none") : "none",
  description: profile?.description ?? null,
  active: open.filter(({ agent, deletedAt }) => agent === id && deletedAt === null).length,
})

/** Returns every profile, the built-in ones first. */
export const describeAgents = (agents: Config["agents"], open: readonly OpenSession[]): readonly AgentSummary[] =>
  profileNames(agents).map((id) => agentSummary(id, findProfile(id, agents), open))

/** Returns a profile without the values of the variables that its program gets: they may be secrets. */
const withoutValues = (profile: AgentProfile): AgentProfile =>
  profile.type === "binary"
    ? { ...profile, env: Object.fromEntries(Object.keys(profile.env).map((name) => [name, redactionMark])) }
    : profile

/** Returns one profile with its settings; undefined if there is none of that name. */
export const describeAgent = (
  id: string,
  agents: Config["agents"],
  open: readonly OpenSession[],
): (AgentSummary & { readonly profile: AgentProfile }) | undefined => {
  const profile = findProfile(id, agents)
  return profile === undefined ? undefined : { ...agentSummary(id, profile, open), profile: withoutValues(profile) }
}

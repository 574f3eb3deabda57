import type { Config } from "../../contracts/config/config.ts"
import { choiceNames, type ChoiceProfile, choiceTerms } from "../../contracts/run/run-choices.ts"
import { limitsBy } from "../../contracts/run/run-limits.ts"
import { decideToolPolicy, isStricter } from "../../domain/approval/tool-policy.ts"
import { findProfile } from "../../domain/profiles/builtin-profiles.ts"
import { readingToolNames, toolListCovers } from "../../domain/tools/tool-names.ts"
import { usualKeyEnv } from "../models/default-models.ts"
import type { Rules } from "./trust-rule.ts"

const credentialRules: Rules<{ readonly apiKeyEnv: string }> = {
  apiKeyEnv: (name, { path }) => (name === usualKeyEnv(path.at(-2) ?? "") ? undefined : "secret"),
}

const profileSubagentRules = {
  maxSpawnDepth: "harmless",
  maxChildrenPerAgent: "harmless",
  reports: "harmless",
  runTimeoutSeconds: "harmless",
  archiveAfterMinutes: "harmless",
  allowAgents: "harmless",
  requireAgentId: "harmless",
  downgrade: "harmless",
  model: "harmless",
  thinking: "harmless",
} as const

export const subagentRules: Rules<Config["subagents"]> = {
  ...profileSubagentRules,
  maxConcurrent: "harmless",
  archiveRoots: "harmless",
}

/** A profile chooses only for its own runs. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one rule for each choice with a name in profiles
const choiceRules = Object.fromEntries(
  choiceNames.flatMap((name) => {
    const { profile } = choiceTerms(name)
    return profile === undefined ? [] : [[profile.name, "harmless"]]
  }),
) as Readonly<Record<keyof ChoiceProfile, "harmless">>

export const agentRules: Rules<Config["agents"]> = {
  each: {
    type: "harmless",
    description: "harmless",
    notify: { approval: "harmless", question: "harmless", failed: "harmless", finished: "harmless" },
    prompt: "harmless",
    model: "harmless",
    ...choiceRules,
    // A person who runs a built-in profile relies on its list of tools.
    tools: (tools, { path }) => {
      const builtin = findProfile(String(path[1]), {})
      if (builtin?.type !== "llm" || builtin.tools === undefined) return undefined
      const { tools: own } = builtin
      return tools.every((tool) => toolListCovers(own, tool)) ? undefined : "loosens"
    },
    ...limitsBy("profile", () => "harmless" as const),
    delegation: "harmless",
    sandbox: "harmless",
    worktree: "harmless",
    subagents: profileSubagentRules,
    credentials: {
      anthropic: credentialRules,
      openai: credentialRules,
      "openai-compatible": credentialRules,
      "azure-openai": credentialRules,
      scripted: credentialRules,
      cassette: credentialRules,
    },
    isolated: "harmless",
    command: "program",
    args: "program",
    stdin: "program",
    env: "program",
    envFrom: "secret",
    output: "harmless",
    timeoutMs: "harmless",
    idempotent: "harmless",
    mcpTool: "harmless",
    mcpToolInput: "harmless",
  },
}

const isReading = (name: string): boolean => readingToolNames.some((each) => each === name)

export const toolRules: Rules<Config["tools"]> = {
  policy: {
    each: (mode, { path }) => {
      const name = String(path.at(-1))
      const usual = decideToolPolicy({ name, readOnly: isReading(name) }, {})
      return isStricter(usual, mode) ? "loosens" : undefined
    },
  },
  never: "harmless",
  maxOffered: "harmless",
  subagents: { deny: "harmless", allow: "harmless" },
}

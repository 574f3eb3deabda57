import type { LlmProfile } from "../../contracts/config/agent-profile.ts"
import type { Limits, ModelSpec, RunSnapshot } from "../../contracts/run-snapshot.ts"
import type { Thinking } from "../../contracts/model-provider.ts"
import { findProfile } from "../../domain/prompts/builtin-profiles.ts"
import type { Reserve } from "../../domain/limits/child-state.ts"
import { narrowLimits } from "../../domain/limits/narrow-limits.ts"
import { composeSystemPrompt, composeTaskPrompt, type ProjectNote } from "../../domain/prompts/compose-system-prompt.ts"
import { isBuiltinProfileName, rolePrompts } from "../../domain/prompts/role-prompts.ts"
import { builtinToolNames, intersectTools, isDelegationTool } from "../../domain/tools/tool-names.ts"
import { DelegationRefusal } from "../../domain/delegation/delegation-refusal.ts"

/** What a spawn asks for; the rest comes from the profile and from the parent, which nothing exceeds. */
export interface ChildRequest {
  readonly agent: string
  readonly model: string
  readonly thinking?: Thinking
  readonly tools?: readonly string[]
  readonly maxSteps?: number
  readonly timeoutSeconds: number
  readonly approval: RunSnapshot["approval"]
  readonly sandboxed: boolean
  readonly reserved: Reserve
  /** The Task tool's child: role prompt and description, no project notes. */
  readonly taskDescription?: string
  readonly notes: readonly ProjectNote[]
}

const rolePromptOf = (agent: string, profile: LlmProfile): string =>
  profile.prompt ?? rolePrompts[isBuiltinProfileName(agent) ? agent : "general"]

const toolsOf = (parent: RunSnapshot, wish: ChildRequest, profile: LlmProfile): readonly string[] => {
  const wanted = wish.tools ??
    profile.tools?.filter((name) => !isDelegationTool(name)) ?? [...builtinToolNames, ...parent.tools]
  const { allowTools } = parent.subagents
  return [...new Set(allowTools.length === 0 ? wanted : intersectTools(allowTools, wanted))]
}

const modelsOf = (parent: RunSnapshot, wish: ChildRequest, profile: LlmProfile): Record<string, ModelSpec> => {
  const thinking = wish.thinking ?? profile.thinking
  return Object.fromEntries(
    Object.entries(parent.models).map(([name, spec]) => {
      const own = profile.credentials?.[spec.provider]?.apiKeyEnv
      return [
        name,
        {
          ...spec,
          ...(own === undefined ? {} : { apiKeyEnv: own }),
          ...(thinking === undefined ? {} : { thinking }),
        },
      ]
    }),
  )
}

const limitsOf = (wish: ChildRequest, profile: LlmProfile, parent: RunSnapshot): Limits => ({
  maxSteps: wish.maxSteps ?? profile.maxSteps ?? parent.limits.maxSteps,
  timeoutSeconds: wish.timeoutSeconds,
  budgetMicroUsd: wish.reserved.microUsd,
  budgetTokens: wish.reserved.tokens,
})

const subagentsOf = (parent: RunSnapshot, profile: LlmProfile): RunSnapshot["subagents"] => {
  const own = Object.fromEntries(Object.entries(profile.subagents ?? {}).filter(([, value]) => value !== undefined))
  return { ...parent.subagents, ...own }
}

/** A child's settings: what was asked for, by its profile, and never more than its parent has. */
export const resolveChild = (parent: RunSnapshot, wish: ChildRequest): RunSnapshot => {
  const profile = findProfile(wish.agent, parent.agents)
  if (profile === undefined) throw new DelegationRefusal("TASK_START_FAILED", `there is no agent ${wish.agent}`)
  if (profile.type !== "llm")
    return {
      ...parent,
      agent: wish.agent,
      type: profile.type,
      execution:
        profile.type === "binary"
          ? {
              type: "binary",
              command: profile.command,
              args: profile.args,
              env: profile.env,
              timeoutMs: profile.timeoutMs,
              idempotent: profile.idempotent,
            }
          : {
              type: "mcp-bridge",
              mcpTool: profile.mcpTool,
              ...(profile.mcpToolInput === undefined ? {} : { mcpToolInput: profile.mcpToolInput }),
              timeoutMs: profile.timeoutMs,
              idempotent: profile.idempotent,
            },
      systemPrompt: "",
      model: "none",
      models: {},
      tools: [],
      delegationTools: null,
      delegation: "none",
      approval: wish.approval,
      pauseOnText: false,
      sandboxed: parent.sandboxed || wish.sandboxed,
    }
  const rolePrompt = rolePromptOf(wish.agent, profile)
  const wanted: RunSnapshot = {
    ...parent,
    agent: wish.agent,
    type: "llm",
    execution: { type: "llm" },
    systemPrompt:
      wish.taskDescription === undefined
        ? composeSystemPrompt({ rolePrompt, cwd: parent.cwd, notes: wish.notes, pauseOnText: false })
        : composeTaskPrompt(rolePrompt, wish.taskDescription),
    model: wish.model,
    models: modelsOf(parent, wish, profile),
    tools: [...toolsOf(parent, wish, profile)],
    deniedTools: [...parent.deniedTools, ...parent.subagents.denyTools],
    delegationTools: null,
    delegation: wish.taskDescription === undefined ? (profile.delegation ?? "none") : "none",
    approval: wish.approval,
    pauseOnText: false,
    limits: limitsOf(wish, profile, parent),
    sandboxed: wish.sandboxed,
    sandbox: wish.sandboxed ? "require" : parent.sandbox,
    subagents: subagentsOf(parent, profile),
  }
  // Budgets were shared out before: what the parent had at its start is not what it has left.
  const { snapshot } = narrowLimits({ ...parent, limits: { ...parent.limits, ...budgetOf(wanted) } }, wanted)
  return snapshot
}

const budgetOf = ({ limits }: RunSnapshot): Pick<Limits, "budgetMicroUsd" | "budgetTokens"> => ({
  budgetMicroUsd: limits.budgetMicroUsd,
  budgetTokens: limits.budgetTokens,
})

import type { SessionsSpawnInput } from "../../contracts/delegation/sessions-input.ts"
import type { AgentProfile } from "../../contracts/config/agent-profile.ts"
import { findProfile, outsideCallerAgent, profileNames } from "../../domain/prompts/builtin-profiles.ts"
import { allowedAgents, refuseByArguments, sandboxRequiredRefusal } from "../../domain/delegation/spawn-refusals.ts"
import { resolveModelName } from "../../domain/limits/model-choice.ts"
import { titleOf } from "../../domain/text/title-of.ts"
import type { SessionsContext } from "../sessions-context.ts"
import type { SpawnOutcome, SpawnRequest } from "./spawn-request.ts"
import { startSubagent } from "./start-subagent.ts"

interface Choice {
  readonly model?: string
  readonly warning?: string
}

/** A model that nobody knows is passed over with a warning; then profile, `subagents.model` and the main model follow. */
const chooseModel = (
  context: SessionsContext,
  input: SessionsSpawnInput,
  profile: AgentProfile | undefined,
): Choice => {
  const { models, knownModels, config } = context.loaded
  if (profile?.type !== "llm")
    return input.model === undefined ? {} : { warning: `this profile runs no model: ${input.model} was left out` }
  const fallback = profile.model === undefined ? config.subagents.model : undefined
  const general = fallback === undefined ? {} : { model: fallback }
  if (input.model === undefined) return general
  return resolveModelName(input.model, { ...knownModels, ...models }) === undefined
    ? { ...general, warning: `there is no model ${input.model.slice(0, 100)}: the sub-agent runs on its default` }
    : { model: input.model }
}

const limitsOf = (context: SessionsContext, input: SessionsSpawnInput, profile: AgentProfile | undefined) => {
  const { subagents } = context.loaded.config
  const own = profile?.type === "llm" ? profile : undefined
  const thinking = input.thinking ?? (own?.thinking === undefined ? subagents.thinking : undefined)
  const timeoutSeconds = input.runTimeoutSeconds ?? (subagents.runTimeoutSeconds || undefined)
  return {
    ...(thinking === undefined ? {} : { thinking }),
    ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
  }
}

/** `sessions_spawn` from outside: a profile of the caller's choice, in the background. */
export const spawnSession = async (
  context: SessionsContext,
  spawn: SpawnRequest,
  input: SessionsSpawnInput,
): Promise<SpawnOutcome> => {
  const { agents, subagents, security } = context.loaded.config
  const known = profileNames(agents)
  const refusal = refuseByArguments({
    agentId: input.agentId,
    allowed: spawn.isPerson === true ? known : allowedAgents(subagents.allowAgents, outsideCallerAgent, known),
    requireAgentId: subagents.requireAgentId,
    thread: input.thread,
    mode: input.mode,
    hasChannel: false,
  })
  if (refusal !== undefined) return { kind: "refused", refusal }
  if (input.sandbox === "require" && security.sandbox === "off")
    return { kind: "refused", refusal: sandboxRequiredRefusal("security.sandbox is off") }
  const agent = input.agentId ?? outsideCallerAgent
  const profile = findProfile(agent, agents)
  const { model, warning } = chooseModel(context, input, profile)
  return await startSubagent(context, spawn, {
    request: {
      prompt: input.task,
      agent,
      title: input.label ?? titleOf(input.task),
      sandbox: input.sandbox === "require",
      approval: "policy",
      ...(input.label === undefined ? {} : { label: input.label }),
      ...(model === undefined ? {} : { model }),
      ...limitsOf(context, input, profile),
      metadata: { mode: input.mode ?? "run", cleanup: input.cleanup },
    },
    ...(warning === undefined ? {} : { warning }),
  })
}

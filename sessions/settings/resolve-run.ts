import type { AgentProfile, LlmProfile } from "../../contracts/config/agent-profile.ts"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { RunSnapshot, RunSubagents } from "../../contracts/run-snapshot.ts"
import { runTimingSchema } from "../../contracts/config/timing.ts"
import type { LoadedConfig } from "../../config/loaded-config.ts"
import { composeSystemPrompt } from "../../domain/prompts/compose-system-prompt.ts"
import { isBuiltinProfileName, rolePrompts } from "../../domain/prompts/role-prompts.ts"
import { didYouMean } from "../../domain/text/suggest.ts"
import type { StartRequest } from "../start/start-request.ts"
import { findProfile, profileNames } from "../../domain/prompts/builtin-profiles.ts"
import { publicUrlOf } from "./public-url.ts"
import { readProjectNotes } from "./read-project-notes.ts"
import { resolveExecution } from "./resolve-execution.ts"
import { resolveLimits } from "./resolve-limits.ts"
import { resolveModel } from "./resolve-model.ts"
import { resolvePrograms } from "./resolve-programs.ts"
import { authorityOf } from "../authority/require-authority.ts"
import { checkToolNames, type KnownTools, resolveTools } from "./resolve-tools.ts"
import { workingDirectory } from "./working-directory.ts"
import type { Environment } from "../../domain/environment.ts"

/** What all types of profiles have in common. */
type CommonPart = Omit<
  RunSnapshot,
  "type" | "execution" | "systemPrompt" | "model" | "models" | "tools" | "delegationTools" | "limits" | "delegation"
>

const profileOf = (name: string, loaded: LoadedConfig): AgentProfile => {
  const profile = findProfile(name, loaded.config.agents)
  if (profile !== undefined) return profile
  const names = profileNames(loaded.config.agents)
  throw new AdjutantError(
    "agent_not_found",
    `there is no agent ${name}${didYouMean(name, names)}; there is: ${names.join(", ")}`,
  )
}

const subagentsOf = (profile: AgentProfile, { config }: LoadedConfig): RunSubagents => {
  const own = profile.type === "llm" ? (profile.subagents ?? {}) : {}
  const set = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined))
  const { deny: denyTools, allow: allowTools } = config.tools.subagents
  return { ...config.subagents, ...set, denyTools, allowTools }
}

const approvalOf = (request: StartRequest, known: KnownTools): RunSnapshot["approval"] => {
  const approval = request.approval ?? "policy"
  if (approval === "policy" || approval === "all") return approval
  checkToolNames(approval, known)
  return [...new Set(approval)]
}

const commonPart = async (loaded: LoadedConfig, request: StartRequest, known: KnownTools): Promise<CommonPart> => {
  const { config } = loaded
  const sandboxed = request.sandbox === true
  if (sandboxed && config.security.sandbox === "off")
    throw new AdjutantError(
      "sandbox_unavailable",
      "a sandboxed run was asked for, but security.sandbox is off: set it to auto or require",
    )
  const agent = request.agent ?? "general"
  return {
    agent,
    modelTiers: config.modelTiers,
    policy: config.tools.policy,
    inheritedPolicies: [],
    never: config.tools.never,
    approval: approvalOf(request, known),
    pauseOnText: request.pauseOnText ?? false,
    sandbox: sandboxed ? "require" : config.security.sandbox,
    sandboxed,
    cwd: await workingDirectory(request.cwd, { ...authorityOf(request.actor), dataDir: loaded.dataDir }),
    envAllow: config.security.envAllow,
    subagents: subagentsOf(profileOf(agent, loaded), loaded),
    deniedTools: [],
    ...resolvePrograms(loaded),
    webhooks: config.webhooks,
    publicUrl: publicUrlOf(config.http),
    ...(config.http.publicUrl === undefined ? { publicUrlIsDefault: true } : {}),
    timing: runTimingSchema.parse(config.timing),
  }
}

const rolePromptOf = (agent: string, profile: LlmProfile): string =>
  profile.prompt ?? rolePrompts[isBuiltinProfileName(agent) ? agent : "general"]

/**
 * Resolves everything that a run lives by, once, before it starts. Rejects with `agent_not_found`, `model_not_found`, `key_missing`,
 * `tool_not_found`, `price_unknown`, `sandbox_unavailable`, `forbidden` or `invalid_argument`; then nothing was started. The snapshot names
 * environment variables and holds no secret.
 */
export const resolveRun = async (
  loaded: LoadedConfig,
  request: StartRequest,
  env: Environment,
): Promise<RunSnapshot> => {
  const known: KnownTools = {
    mcpServers: Object.keys(loaded.config.mcpServers),
    customTools: loaded.customTools ?? [],
  }
  const profile = profileOf(request.agent ?? "general", loaded)
  const common = await commonPart(loaded, request, known)
  if (profile.type !== "llm") {
    if (request.model !== undefined)
      throw new AdjutantError("invalid_argument", `agent ${common.agent} runs no model: leave the model out`)
    return {
      ...common,
      type: profile.type,
      execution: resolveExecution(common.agent, profile, loaded),
      systemPrompt: "",
      model: "none",
      models: {},
      tools: [],
      delegationTools: null,
      limits: resolveLimits(request, {}),
      delegation: "none",
    }
  }
  const { tools, delegationTools } = resolveTools(request.tools, profile, known)
  const wish = { profileName: common.agent, profile, model: request.model, thinking: request.thinking }
  const { name, models } = await resolveModel(loaded, wish, env)
  const limits = resolveLimits(request, profile, models[name])
  const systemPrompt = composeSystemPrompt({
    rolePrompt: request.systemPrompt ?? rolePromptOf(common.agent, profile),
    cwd: common.cwd,
    notes: await readProjectNotes(common.cwd, loaded.dataDir),
    pauseOnText: common.pauseOnText,
  })
  return {
    ...common,
    type: "llm",
    execution: { type: "llm" },
    systemPrompt,
    model: name,
    models,
    tools: [...tools],
    delegationTools: delegationTools === null ? null : [...delegationTools],
    limits,
    delegation: profile.delegation ?? "none",
  }
}

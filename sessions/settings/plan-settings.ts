import type { AgentProfile, LlmProfile } from "../../contracts/config/agent-profile.ts"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"
import { findProfile, profileNames, subagentsOfProfile } from "../../domain/profiles/builtin-profiles.ts"
import type { Skill } from "../../domain/notes/skill.ts"
import { composeSystemPrompt, composeTaskPrompt, type ProjectNote } from "../../domain/prompts/compose-system-prompt.ts"
import { type AnswerReader, rolePromptOf } from "../../domain/prompts/role-prompts.ts"
import { contextForProgram } from "../../domain/prompts/task-context.ts"
import { requestedApproval } from "../../domain/approval/narrow-approval.ts"
import { resolveChoices } from "../../domain/limits/run-choices.ts"
import { didYouMean } from "../../domain/text/suggest.ts"
import { isAllowedTool, skillToolName, toolListCovers } from "../../domain/tools/tool-names.ts"
import { withSubagentTools } from "../../domain/profiles/subagent-tools.ts"
import { resolveExecution } from "./fields/resolve-execution.ts"
import type { HasVariable } from "./fields/resolve-keys.ts"
import { resolveLimits } from "./fields/resolve-limits.ts"
import { resolveNotify } from "./fields/resolve-notify.ts"
import { resolveModel } from "./fields/resolve-model.ts"
import { checkToolNames, resolveTools } from "./fields/resolve-tools.ts"
import type { SettingsOrigin } from "./settings-origin.ts"
import type { SettingsRequest } from "./settings-request.ts"

/** Facts about the machine that the plan depends on. */
export interface SettingsFacts {
  readonly hasVariable: HasVariable
  readonly notes: readonly ProjectNote[]
  /** Skills of the working directory; default none. */
  readonly skills?: readonly Skill[]
}

/** Returns a profile. Throws `agent_not_found`. */
export const requireProfile = (name: string, agents: RunSnapshot["agents"]): AgentProfile => {
  const profile = findProfile(name, agents)
  if (profile !== undefined) return profile
  const names = profileNames(agents)
  throw new AdjutantError(
    "agent_not_found",
    `there is no agent ${name}${didYouMean(name, names)}; agents: ${names.join(", ")}`,
  )
}

const approvalOf = (request: SettingsRequest, origin: SettingsOrigin): RunSnapshot["approval"] => {
  const approval = requestedApproval(request.auto_approve) ?? origin.approval
  if (approval === "policy" || approval === "all") return approval
  if (origin.knownTools !== null) checkToolNames(approval, origin.knownTools)
  return [...new Set(approval)]
}

/** Throws `sandbox_unavailable` for a sandboxed run if sandboxes are off. `demand`: what asks for the sandbox. */
export const refuseSandboxWhereOff = (
  wanted: boolean,
  sandbox: RunSnapshot["sandbox"],
  demand = "a sandboxed run was requested",
): void => {
  if (wanted && sandbox === "off")
    throw new AdjutantError("sandbox_unavailable", `${demand}, but security.sandbox is off: set it to auto or require`)
}

/** Returns whether a run is sandboxed. Its profile can demand it, which no request takes back. */
const isSandboxed = ({ sandbox }: SettingsRequest, agent: string, profile: AgentProfile): boolean => {
  const isDemanded = profile.type !== "mcp-bridge" && profile.sandbox === "require"
  if (isDemanded && sandbox === "off")
    throw new AdjutantError(
      "invalid_argument",
      `agent ${agent} works in a sandbox only (agents.${agent}.sandbox): let the run have one, or choose another agent`,
    )
  return isDemanded || sandbox === true
}

/** Returns the part of a run's settings that does not depend on its type of profile. */
const commonPart = (request: SettingsRequest, origin: SettingsOrigin, agent: string, profile: AgentProfile) => {
  const { shared } = origin
  const sandboxed = isSandboxed(request, agent, profile)
  refuseSandboxWhereOff(
    sandboxed,
    shared.sandbox,
    request.sandbox === true ? undefined : `agents.${agent}.sandbox demands a sandbox`,
  )
  return {
    ...shared,
    agent,
    approval: approvalOf(request, origin),
    ...resolveChoices(request, profile.type === "llm" ? profile : {}),
    notify: resolveNotify({ asked: request.notify, profile: profile.notify }, shared.notify),
    showsSurroundings: undefined,
    // Not inherited: the result of a sub-agent is not that of the run that starts it.
    outputSchema: request.output_schema,
    raisedLimits: undefined,
    explicit: undefined,
    context: profile.type === "llm" ? undefined : contextForProgram(request.context),
    // A process that is not confined could write outside of its worktree.
    sandbox: sandboxed || request.worktree !== undefined ? "require" : shared.sandbox,
    sandboxed,
    ...(request.sandbox === "off" || request.inheritsUnconfined === true ? { unconfined: true as const } : {}),
    ...(request.subagent?.taskSandbox === true ? { taskSandbox: true as const } : {}),
    cwd: request.cwd,
    worktree: request.worktree,
    subagents: subagentsOfProfile(shared.subagents, profile),
  } as const
}

const readerOf = ({ subagent, isChild, inThread }: SettingsRequest, { isRun }: SettingsOrigin): AnswerReader => {
  if (isRun || subagent !== undefined || isChild === true) return "caller"
  return inThread === true ? "thread" : "person"
}

const systemPromptOf = (
  request: SettingsRequest,
  origin: SettingsOrigin,
  { agent, profile, notes }: { readonly agent: string; readonly profile: LlmProfile } & Pick<SettingsFacts, "notes">,
) => {
  const rolePrompt = request.system_prompt ?? rolePromptOf(agent, profile.prompt, readerOf(request, origin))
  const { pause_on_approval: pauseOnText = false, subagent } = request
  const isWorktree = request.worktree !== undefined
  const hasTaskSandbox = subagent?.taskSandbox === true
  return subagent?.taskDescription === undefined
    ? composeSystemPrompt({ rolePrompt, isWorktree, notes, pauseOnText, hasTaskSandbox })
    : composeTaskPrompt(rolePrompt, subagent.taskDescription)
}

/** Returns the tools of a run and its skills. Without skills, there is no tool that loads them, unless the embedding program has one of that name. */
const skillSettings = (
  tools: readonly string[],
  skills: readonly Skill[],
  { knownTools }: SettingsOrigin,
): Pick<RunSnapshot, "tools" | "skills"> => {
  if (knownTools?.customTools.includes(skillToolName) === true) return { tools: [...tools], skills: undefined }
  return skills.length > 0 && tools.includes(skillToolName)
    ? { tools: [...tools], skills: [...skills] }
    : { tools: tools.filter((name) => name !== skillToolName), skills: undefined }
}

/** Returns the error for a session whose changes nobody could merge. */
export const noWorktreeHere = (why: string): AdjutantError =>
  new AdjutantError(
    "invalid_argument",
    `only a sub-agent of an agent can work in a git worktree (${why}): let an agent start it with sessions_spawn`,
  )

const planLlmSettings = (
  request: SettingsRequest,
  origin: SettingsOrigin,
  facts: SettingsFacts,
  { agent, profile }: { readonly agent: string; readonly profile: LlmProfile },
): RunSnapshot => {
  if (profile.worktree === true && request.worktree === undefined) throw noWorktreeHere(`agent ${agent} works in one`)
  const common = commonPart(request, origin, agent, profile)
  const isTask = request.subagent?.taskDescription !== undefined
  const { tools: named, delegationTools } = resolveTools(request.allowed_tools, profile, origin)
  const skills = isTask ? [] : (facts.skills ?? [])
  const { name, models } = resolveModel({ request, agent, profile, origin, hasVariable: facts.hasVariable })
  return {
    ...common,
    type: "llm",
    execution: { type: "llm" },
    systemPrompt: systemPromptOf(request, origin, { agent, profile, notes: facts.notes }),
    showsSurroundings: isTask ? undefined : true,
    model: name,
    models,
    ...skillSettings(named, skills, origin),
    delegationTools: isTask || delegationTools === null ? null : [...delegationTools],
    limits: resolveLimits(request, profile, models[name]),
    delegation: isTask ? "none" : (profile.delegation ?? "none"),
  }
}

const planProgramSettings = (
  request: SettingsRequest,
  origin: SettingsOrigin,
  { agent, profile }: { readonly agent: string; readonly profile: Exclude<AgentProfile, LlmProfile> },
): RunSnapshot => {
  const common = commonPart(request, origin, agent, profile)
  if (request.model !== undefined)
    throw new AdjutantError("invalid_argument", `agent ${agent} does not use a model: omit the model`)
  if (request.thinking !== undefined)
    throw new AdjutantError("invalid_argument", `agent ${agent} does not use a model: omit the thinking level`)
  if (request.output_schema !== undefined)
    throw new AdjutantError(
      "invalid_argument",
      `agent ${agent} does not use a model, which could correct its result: omit the output schema`,
    )
  return {
    ...common,
    type: profile.type,
    execution: resolveExecution(agent, profile, origin.allowsBinaryAgents),
    systemPrompt: "",
    model: "none",
    models: {},
    tools: [],
    delegationTools: null,
    limits: resolveLimits(request, {}),
    delegation: "none",
  }
}

const noBash = (where: string): AdjutantError =>
  new AdjutantError("forbidden", `a command requires Bash, which is not among the tools of ${where}`)

/** Plans a command that runs as a task: the tool is Bash, so its policy, sandbox and limits apply. */
const planCommandSettings = (
  request: SettingsRequest,
  origin: SettingsOrigin,
  { agent, profile, timeoutMs }: { readonly agent: string; readonly profile: AgentProfile; readonly timeoutMs: number },
): RunSnapshot => {
  // A run's own tools narrow those of its children later.
  const offered = profile.type === "llm" ? (profile.tools ?? origin.tools) : []
  if (!origin.isRun && !toolListCovers(offered, "Bash")) throw noBash(`agent ${agent}`)
  return {
    ...commonPart(request, origin, agent, profile),
    context: undefined,
    type: "binary",
    execution: { type: "command", timeoutMs },
    systemPrompt: "",
    model: "none",
    models: {},
    tools: ["Bash"],
    delegationTools: null,
    limits: resolveLimits(request, {}),
    delegation: "none",
  }
}

/** Applies `subagents.runTimeoutSeconds` to a call without a timeout; 0: it is not set. */
const withSubagentTimeout = (request: SettingsRequest, { shared }: SettingsOrigin): SettingsRequest => {
  const { runTimeoutSeconds } = shared.subagents
  if (request.subagent === undefined || request.timeout_seconds !== undefined || runTimeoutSeconds === 0) return request
  return { ...request, timeout_seconds: runTimeoutSeconds }
}

/**
 * Plans the settings of a run, for every way to start one. Each setting has one rule, applied to the origin (the configuration, or the settings of the
 * run that starts it). In order of precedence:
 *
 * - model and thinking level: the request, the profile, for a sub-agent `subagents.model` and `subagents.thinking`, the origin. The tasks family then
 *   uses the lighter model if its key is set.
 * - timeout: the request, for a sub-agent `subagents.runTimeoutSeconds` unless it is 0, the profile, none. It applies to every type of profile.
 * - steps and budgets: the request, the profile, the defaults (100 steps, no budget).
 * - keys: the profile's own if its variable is set; else the origin's, unless the profile is `isolated`. A model that requires a key and has none is
 *   refused.
 * - tools: the request, the profile, all; for a sub-agent without those that `tools.subagents` denies.
 * - approval: the request, the origin.
 * - destinations of messages: the request, the profile, the origin.
 *
 * A child's plan is then narrowed to its parent's limits (`plan-child.ts`), a follow-up's to those of the session (`resolve-follow-up.ts`).
 *
 * @throws AdjutantError `agent_not_found`, `model_not_found`, `key_missing`, `tool_not_found`, `price_unknown`, `sandbox_unavailable`,
 * `forbidden` or `invalid_argument`
 */
export const planSettings = (request: SettingsRequest, origin: SettingsOrigin, facts: SettingsFacts): RunSnapshot => {
  const agent = request.agent ?? origin.agent
  const profile = requireProfile(agent, origin.shared.agents)
  const timed = withSubagentTimeout(request, origin)
  const command = request.subagent?.command
  if (command !== undefined) {
    const planned = withSubagentTools(
      planCommandSettings(timed, origin, { agent, profile, timeoutMs: command.timeoutMs }),
      origin.shared.subagents,
    )
    if (!isAllowedTool(planned, "Bash")) throw noBash("sub-agents here (tools.subagents)")
    return planned
  }
  const snapshot =
    profile.type === "llm"
      ? planLlmSettings(timed, origin, facts, { agent, profile })
      : planProgramSettings(timed, origin, { agent, profile })
  return request.subagent === undefined ? snapshot : withSubagentTools(snapshot, origin.shared.subagents)
}

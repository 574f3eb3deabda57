import type { SessionsSpawnInput } from "../../contracts/delegation/sessions-input.ts"
import type { TaskInput } from "../../contracts/delegation/task-input.ts"
import { maxCommandSeconds } from "../../contracts/delegation/tasks-input.ts"
import type { DynamicSubagentTaskInput, RunCommandTaskInput } from "../../contracts/delegation/tasks-input.ts"
import { assertNever } from "../../domain/assert-never.ts"
import { limitsAsked } from "../../domain/limits/limit-values.ts"
import { choicesAsked } from "../../domain/limits/run-choices.ts"
import { resolveModelName, taskModel } from "../../domain/models/model-choice.ts"
import { findProfile } from "../../domain/profiles/builtin-profiles.ts"
import { taskHeading } from "../../domain/prompts/task-context.ts"
import { createRedact } from "../../domain/text/redact.ts"
import { readingToolNames } from "../../domain/tools/tool-names.ts"
import { titleOfInstruction } from "../../domain/session/title-of.ts"
import { textWithContext } from "../../domain/prompts/task-context.ts"
import type { SettingsOrigin } from "../settings/settings-origin.ts"
import type { SettingsRequest } from "../settings/settings-request.ts"
import type { SpawnCall } from "./spawn-request.ts"

/** The sub-agent that a call of a delegation tool starts, inside a run or from outside. */
export interface SpawnPlan {
  readonly settings: Omit<SettingsRequest, "cwd"> & { readonly agent: string }
  /** The call asks for a worktree of the sub-agent's own; a profile can demand one, too. */
  readonly wantsWorktree?: boolean
  /** The sub-agent's first message. */
  readonly instruction: string
  readonly title: string
  readonly label?: string
  /** A warning for the caller, in addition to the sub-agent's ids. */
  readonly warning?: string
  /** What is stored about the session besides its settings. */
  readonly internal: Readonly<Record<string, unknown>>
}

/** The secrets that a process knows are removed by it, when it starts the session. */
const unknownSecrets = createRedact([])

const runsModel = (agent: string, { shared }: SettingsOrigin): boolean =>
  findProfile(agent, shared.agents)?.type === "llm"

/** Plans a `Task` call: read-only tools, on the main or light model if one of that name is configured. */
const planTask = ({ description, prompt, subagent_type, model }: TaskInput, origin: SettingsOrigin): SpawnPlan => {
  const wanted = taskModel(subagent_type, model)
  const name = Object.hasOwn(origin.models, wanted) ? wanted : origin.model
  return {
    settings: {
      agent: subagent_type,
      allowed_tools: readingToolNames,
      subagent: { taskDescription: description },
      ...(runsModel(subagent_type, origin) ? { model: name } : {}),
    },
    instruction: prompt,
    title: description,
    internal: { model: wanted },
  }
}

/** Returns the first message of a sub-agent, and the context that it gets apart from it because its profile has no model. */
const withContext = (
  task: string,
  context: string | undefined,
  { agent, origin }: { readonly agent: string; readonly origin: SettingsOrigin },
): { readonly text: string; readonly apart: Pick<SettingsRequest, "context"> } => {
  const pieces = context === undefined ? [] : [{ content: context }]
  return runsModel(agent, origin)
    ? { text: textWithContext(task, pieces), apart: {} }
    : { text: task, apart: { context: pieces } }
}

/** The heading of a dynamic task is there even without context. */
const headed = (text: string): string => (text.startsWith("=== CONTEXT") ? text : `${taskHeading}${text}`)

/** Plans a `dynamic_subagent_task` call: its own instructions and tools; policy decides which calls require approval. */
const planDynamicTask = (input: DynamicSubagentTaskInput, origin: SettingsOrigin): SpawnPlan => {
  const agent = "general"
  const { text, apart } = withContext(input.instructions, input.context, { agent, origin })
  return {
    settings: {
      agent,
      ...apart,
      allowed_tools: input.tools,
      ...choicesAsked("dynamic_subagent_task", input),
      ...limitsAsked("dynamic_subagent_task", input),
      sandbox: input.enable_sandbox,
      auto_approve: false,
      subagent: { mayDowngrade: true, taskSandbox: input.enable_sandbox },
    },
    instruction: runsModel(agent, origin) ? headed(text) : text,
    title: input.description,
    internal: {},
  }
}

/** Plans a `run_command_task` call: the command is the instruction, and the approval is the caller's own, as for a call of Bash. */
const planCommandTask = (input: RunCommandTaskInput): SpawnPlan => ({
  settings: {
    agent: "general",
    subagent: { command: { timeoutMs: Math.ceil((input.timeout_seconds || maxCommandSeconds) * 1_000) } },
  },
  instruction: input.command,
  title: input.description ?? titleOfInstruction(input.command, unknownSecrets) ?? "command",
  internal: {},
})

/** Returns the model of a session; an unknown one is ignored with a warning. */
const sessionModel = (
  wanted: string | undefined,
  agent: string,
  origin: SettingsOrigin,
): { readonly model?: string; readonly warning?: string } => {
  if (wanted === undefined) return {}
  if (!runsModel(agent, origin))
    return { warning: `this profile does not use a model: ${wanted.slice(0, 100)} is ignored` }
  const isKnown =
    resolveModelName(wanted, { ...origin.knownModels, ...origin.models }) !== undefined ||
    origin.modelById?.(wanted) !== undefined
  return !isKnown
    ? { warning: `there is no model ${wanted.slice(0, 100)}: the sub-agent uses its default` }
    : { model: wanted }
}

/** Plans a `sessions_spawn` call: a profile of the caller's choice, by default the caller's own. */
const planSession = (input: SessionsSpawnInput, origin: SettingsOrigin): SpawnPlan => {
  const agent = input.agentId ?? origin.agent
  const { model, warning } = sessionModel(input.model, agent, origin)
  const { text, apart } = withContext(input.task, input.context, { agent, origin })
  return {
    settings: {
      agent,
      sandbox: input.sandbox === "require",
      subagent: {},
      ...apart,
      ...(model === undefined ? {} : { model }),
      ...(input.output_schema === undefined ? {} : { output_schema: input.output_schema }),
      ...choicesAsked("sessions_spawn", input),
      ...(runsModel(agent, origin) ? {} : { thinking: undefined }),
      ...limitsAsked("sessions_spawn", input),
    },
    instruction: text,
    title: input.label ?? titleOfInstruction(input.task, unknownSecrets) ?? agent,
    ...(input.label === undefined ? {} : { label: input.label }),
    ...(warning === undefined ? {} : { warning }),
    ...(input.worktree === true ? { wantsWorktree: true } : {}),
    internal: { mode: input.mode ?? (input.thread ? "session" : "run"), cleanup: input.cleanup },
  }
}

/** Plans the sub-agent of a delegation call. `origin`: the configuration for a call from outside, the calling run's settings otherwise. */
export const planSpawn = (call: SpawnCall, origin: SettingsOrigin): SpawnPlan => {
  switch (call.tool) {
    case "Task":
      return planTask(call.input, origin)
    case "dynamic_subagent_task":
      return planDynamicTask(call.input, origin)
    case "run_command_task":
      return planCommandTask(call.input)
    case "sessions_spawn":
      return planSession(call.input, origin)
    default:
      return assertNever(call)
  }
}

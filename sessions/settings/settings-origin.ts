import type { Config } from "../../contracts/config/config.ts"
import type { LoadedConfig } from "../../config/loaded-config.ts"
import type { ModelSpec, RunSnapshot } from "../../contracts/run-snapshot.ts"
import { runTimingSchema } from "../../contracts/config/timing.ts"
import { outsideSubagents } from "../../domain/profiles/builtin-profiles.ts"
import { builtinToolNames, skillToolName } from "../../domain/tools/tool-names.ts"
import { resolvePrograms } from "./fields/resolve-programs.ts"
import { type KnownTools, serverTools } from "./fields/resolve-tools.ts"

const allInterfaces = new Set(["0.0.0.0", "::", "[::]"])

/** Returns the URL of the HTTP server for links, without a final slash. */
const publicUrlOf = ({ publicUrl, host, port }: Config["http"]): string => {
  if (publicUrl !== undefined) return publicUrl.replace(/\/+$/, "")
  const name = allInterfaces.has(host) ? "localhost" : host
  return `http://${name.includes(":") && !name.startsWith("[") ? `[${name}]` : name}:${port}`
}

/** Settings that a run copies unchanged. */
type SharedSettings = Pick<
  RunSnapshot,
  | "modelTiers"
  | "policy"
  | "inheritedPolicies"
  | "never"
  | "maxOfferedTools"
  | "sandbox"
  | "envAllow"
  | "subagents"
  | "deniedTools"
  | "agents"
  | "mcpServers"
  | "hooks"
  | "webhooks"
  | "notify"
  | "publicUrl"
  | "publicUrlIsDefault"
  | "timing"
  | "compaction"
>

/** The source from which a run's settings are resolved: the configuration, or the run that starts it. */
export interface SettingsOrigin {
  /** True for a run that starts a child, false for the configuration. */
  readonly isRun: boolean
  readonly shared: SharedSettings
  /** Profile of the caller that starts the run. */
  readonly agent: string
  /** Name of the model if neither the request nor the profile nor `subagents` names one. */
  readonly model: string
  readonly models: Readonly<Record<string, ModelSpec>>
  /** Models that are not configured, but may be requested by their provider's id. */
  readonly knownModels: Readonly<Record<string, ModelSpec>>
  /** Returns a further model that may be requested by its provider's id; absent: there is none. */
  readonly modelById?: LoadedConfig["modelById"]
  /** The models that are searched for a name or a provider's id, in this order. */
  readonly namedModels: readonly Readonly<Record<string, ModelSpec>>[]
  readonly approval: RunSnapshot["approval"]
  /** Tools of a run that names none. */
  readonly tools: readonly string[]
  /** The names that a tool list is checked against; null: a list is narrowed to the caller's own tools instead. */
  readonly knownTools: KnownTools | null
  readonly allowsBinaryAgents: boolean
}

/** Returns the origin of the sessions of people, programs and MCP clients. */
export const configurationOrigin = (loaded: LoadedConfig): SettingsOrigin => {
  const { config, models, knownModels, modelById, customTools = [] } = loaded
  const { deny: denyTools, allow: allowTools } = config.tools.subagents
  const knownTools = { mcpServers: Object.keys(config.mcpServers), customTools }
  return {
    isRun: false,
    shared: {
      modelTiers: config.modelTiers,
      policy: config.tools.policy,
      inheritedPolicies: [],
      never: config.tools.never,
      maxOfferedTools: config.tools.maxOffered,
      sandbox: config.security.sandbox.mode,
      envAllow: config.security.envAllow,
      subagents: { ...config.subagents, denyTools, allowTools },
      deniedTools: [],
      ...resolvePrograms(loaded),
      webhooks: config.webhooks,
      ...(Object.keys(config.notify).length === 0
        ? {}
        : { notify: { destinations: config.notify, on: config.notifyOn } }),
      publicUrl: publicUrlOf(config.http),
      ...(config.http.publicUrl === undefined ? { publicUrlIsDefault: true } : {}),
      timing: runTimingSchema.parse(config.timing),
      compaction: config.compaction,
    },
    agent: "general",
    model: "main",
    models,
    knownModels,
    namedModels: [models, knownModels],
    ...(modelById === undefined ? {} : { modelById }),
    approval: "policy",
    tools: [...builtinToolNames, skillToolName, ...customTools, ...serverTools(knownTools)],
    knownTools,
    allowsBinaryAgents: config.security.allowBinaryAgents,
  }
}

/** Returns the origin of the sub-agents that callers outside any run start: such a caller counts as an agent of the default profile. */
export const outsideOrigin = (loaded: LoadedConfig): SettingsOrigin => {
  const origin = configurationOrigin(loaded)
  const { shared } = origin
  return { ...origin, shared: { ...shared, subagents: outsideSubagents(shared.subagents, shared.agents) } }
}

/** Returns the configured models of a run, which have their own names; the run's list also contains the known models. */
const withOwnNames = (models: RunSnapshot["models"]): RunSnapshot["models"] =>
  Object.fromEntries(Object.entries(models).filter(([name, { model }]) => name !== model))

/**
 * Returns the origin of the children of a run: its own settings, with the models, keys and thinking level that it uses.
 * `allowsBinaryAgents`: the worker's `security.allowBinaryAgents`.
 */
export const callerOrigin = (caller: RunSnapshot, allowsBinaryAgents: boolean): SettingsOrigin => ({
  isRun: true,
  shared: caller,
  agent: caller.agent,
  model: caller.model,
  models: caller.models,
  knownModels: {},
  namedModels: [withOwnNames(caller.models), caller.models],
  approval: caller.approval,
  tools: [...builtinToolNames, ...caller.tools],
  knownTools: null,
  allowsBinaryAgents,
})

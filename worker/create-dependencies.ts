import type { Redact } from "../domain/text/redact.ts"
import type { Client } from "@temporalio/client"
import { Runtime } from "@temporalio/worker"
import type { Logger } from "pino"
import type { AgentDependencies } from "../activities/index.ts"
import { createStopFollower } from "../activities/followed-calls.ts"
import { createWorkerMetrics } from "../activities/worker-metrics.ts"
import { createWorkerSlots } from "../activities/slots/worker-slots.ts"
import { createStreamedEvents } from "../activities/streamed-events.ts"
import { createUnstartedCalls } from "../activities/unstarted-calls.ts"
import type { WorkerSettings } from "../contracts/config/config.ts"
import type { ProviderName } from "../contracts/run/model-provider.ts"
import { type Timing, timingSchema } from "../contracts/config/timing.ts"
import type { Retention } from "../contracts/config/retention.ts"
import type { DailyLimits } from "../domain/limits/daily-limits.ts"
import type { ProviderLimits } from "../domain/limits/provider/provider-limits.ts"
import type { WorkerPolicy } from "../domain/approval/worker-policy.ts"
import type { TemporalUrl } from "../domain/engine/temporal-url.ts"
import type { Liveness } from "../domain/engine/liveness.ts"
import { otlpProblems } from "../domain/trace/otlp-receiver.ts"
import { tracerOf } from "../sessions/trace/tracer-of.ts"
import { createAnnouncer } from "../sessions/delivery/announcer.ts"
import { findSkills } from "../sessions/notes/find-skills.ts"
import { readProjectNotes } from "../sessions/settings/read-project-notes.ts"
import { checkSchema } from "../sessions/result/check-schema.ts"
import { createEngineGuard } from "../sessions/engine/create-engine-guard.ts"
import { type Machine, thisMachine } from "../engine/workers/machine.ts"
import type { EngineGuard } from "../engine/engine-guard.ts"
import { createMcpServers, type McpServers } from "../mcp-client/mcp-servers.ts"
import { createToolPins } from "../mcp-client/tool-pins.ts"
import { createKeyCommands } from "../config/secrets/key-commands.ts"
import { apiKeyEnvOf } from "../models/api-key-env.ts"
import { classifyModelError } from "../models/failure/classify-model-error.ts"
import { requestHeaders } from "../models/request-headers.ts"
import type { ModelProvider } from "../models/model-provider.ts"
import { createModelProviders } from "../models/model-registry.ts"
import type { Store } from "../store/store.ts"
import { runBashCommand } from "../tools/bash.ts"
import { cutOutput } from "../tools/cut-output.ts"
import { toolEnvironment } from "../tools/tool-environment.ts"
import { createWorktreeFiles } from "../tools/worktree/worktree-files.ts"
import type { NamingConfig } from "../tools/protection/named-files.ts"
import type { Tool } from "../tools/tool.ts"
import { ownTools } from "../tools/own-tools.ts"
import { createSandboxes, type Sandboxes } from "./create-sandboxes.ts"
import { fileDependencies } from "./file-dependencies.ts"
import { createReadSurroundings } from "./read-surroundings.ts"
import type { SandboxSettings } from "./detect-sandbox.ts"
import { codecProblem } from "../config/codec-problem.ts"
import { userLogins } from "./user-logins.ts"

export interface WorkerSurroundings {
  readonly temporal: Client
  readonly store: Store
  readonly dataDir: string
  /** The worker's configuration file, which tools protect; null if it has none. */
  readonly configPath?: string | null
  /** The worker's configuration; tools protect what it names. */
  readonly config?: NamingConfig
  readonly env: NodeJS.ProcessEnv
  readonly logger: Logger
  /** Takes known secrets out of a text. */
  readonly redact: Redact
  /** Default: the one of this process. */
  readonly machine?: Machine
  /** Tools of the program that embeds the worker, in addition to the built-in ones. */
  readonly tools?: readonly Tool[]
  /** `security.allowBinaryAgents`; default false. */
  readonly allowBinaryAgents?: boolean
  /** What this worker's configuration demands of every run; default nothing. */
  readonly workerPolicy?: WorkerPolicy
  /** Starts the task of a schedule; default: none is started. */
  readonly startScheduled?: WorkerDependencies["startScheduled"]
  /** `limits` of this worker's configuration; default none. */
  readonly dailyCaps?: DailyLimits
  /** `retention` of the configuration; default: everything is kept. */
  readonly retention?: Retention
  /** `worker` of the configuration; default its defaults. */
  readonly slots?: WorkerSettings
  /** What providers accept from each key; default: no limit. */
  readonly providerLimits?: ReadonlyMap<string, ProviderLimits>
  /** What compares the engine with the store's; default a guard of its own. */
  readonly engine?: EngineGuard
  /** Where the engine is reached, for people. */
  readonly address?: string
  /** `timing` of the configuration; default its defaults. */
  readonly timing?: Timing
  /** The profile that suits the connection; `timing.liveness` takes precedence. Default `embedded`. */
  readonly liveness?: Liveness
  /** Returns the page of a session in the Temporal UI; default: it is not known. */
  readonly temporalUrl?: TemporalUrl
  /** What `security` says of sandboxes; default bubblewrap or sandbox-runtime, without network. */
  readonly sandboxes?: SandboxSettings
  /** Providers that replace those of the same name. */
  readonly providers?: Partial<Readonly<Record<ProviderName, ModelProvider>>>
}

/** Everything that this worker's activities use, and its end. */
export interface WorkerDependencies extends AgentDependencies {
  readonly engine: EngineGuard
  close(): Promise<void>
}

const mcpServersOf = ({ env, dataDir, logger }: WorkerSurroundings): McpServers =>
  createMcpServers({
    env,
    toolEnv: (allow) => toolEnvironment(env, allow),
    checkSchema,
    logins: userLogins(env),
    pins: createToolPins(dataDir),
    onChanged: ({ server, message }) => logger.warn({ server }, message),
  })

/** Returns what the prompts of agents are made of, and what commands get. */
const promptDependencies = (
  { env, dataDir, sandboxes: settings }: WorkerSurroundings,
  { sandboxFor }: Sandboxes,
): Pick<AgentDependencies, "sandboxFor" | "toolEnv" | "readSurroundings" | "readProjectNotes" | "findSkills"> => {
  const toolEnv = (allow: readonly string[]) => toolEnvironment(env, allow)
  return {
    sandboxFor,
    toolEnv,
    readSurroundings: createReadSurroundings({ sandboxFor, toolEnv, allowedDomains: settings?.allowedDomains ?? [] }),
    readProjectNotes: (cwd) => readProjectNotes(cwd, dataDir),
    findSkills: (cwd) => findSkills(cwd, dataDir),
  }
}

const ownEngineGuard = ({ temporal, store, address }: WorkerSurroundings, checkEveryMs: number) =>
  createEngineGuard({ temporal, store, checkEveryMs, ...(address === undefined ? {} : { address }) })

export const createDependencies = (surroundings: WorkerSurroundings): WorkerDependencies => {
  const { logger, dataDir, sandboxes: settings } = surroundings
  const codec = codecProblem(surroundings.env)
  if (codec !== undefined) logger.warn({}, codec)
  const mcp = mcpServersOf(surroundings)
  const sandboxes = createSandboxes({ logger, dataDir, ...(settings === undefined ? {} : { settings }) })
  for (const problem of otlpProblems(surroundings.env)) logger.warn({}, problem)
  const tracer = tracerOf(surroundings)
  const liveness = surroundings.timing?.liveness ?? surroundings.liveness ?? "embedded"
  const timing = surroundings.timing ?? timingSchema.parse({})
  return {
    store: surroundings.store,
    streamed: createStreamedEvents(surroundings.store, (error) =>
      surroundings.logger.warn({ err: error }, "streamed text or progress could not be stored"),
    ),
    unstarted: createUnstartedCalls(),
    temporal: surroundings.temporal,
    engine: surroundings.engine ?? ownEngineGuard(surroundings, timing.engineCheckMs),
    timing,
    liveness,
    stops:
      liveness === "cluster"
        ? createStopFollower(surroundings.store.stopRequests, (error) =>
            surroundings.logger.warn({ err: error }, "the requests to stop calls could not be read"),
          )
        : undefined,
    providers: { ...createModelProviders(), ...surroundings.providers },
    classifyModelError,
    requestHeaders,
    apiKeyEnvOf: (spec) => (spec.apiKeyCommand === undefined ? apiKeyEnvOf(spec) : undefined),
    keyCommands: createKeyCommands(surroundings.env),
    tools: new Map([...ownTools, ...(surroundings.tools ?? [])].map((tool) => [tool.name, tool])),
    mcp,
    cutOutput,
    runCommand: runBashCommand,
    allowBinaryAgents: surroundings.allowBinaryAgents === true,
    ...(surroundings.workerPolicy === undefined ? {} : { workerPolicy: surroundings.workerPolicy }),
    ...(surroundings.startScheduled === undefined ? {} : { startScheduled: surroundings.startScheduled }),
    dailyCaps: surroundings.dailyCaps ?? { microUsd: null, tokens: null },
    ...(surroundings.retention === undefined ? {} : { retention: surroundings.retention }),
    ...(tracer === undefined ? {} : { tracer }),
    metrics: createWorkerMetrics(Runtime.instance().metricMeter),
    slots: createWorkerSlots(surroundings.slots),
    providerLimits: surroundings.providerLimits ?? new Map<string, ProviderLimits>(),
    env: surroundings.env,
    ...promptDependencies(surroundings, sandboxes),
    dataDir: surroundings.dataDir,
    machine: surroundings.machine ?? thisMachine(surroundings.env),
    ...fileDependencies(surroundings),
    webHosts: settings?.allowedDomains ?? [],
    worktrees: createWorktreeFiles(),
    announcer: createAnnouncer(surroundings.store, surroundings.temporalUrl),
    redact: surroundings.redact,
    logger: surroundings.logger,
    close: async () => void (await Promise.all([mcp.close(), sandboxes.close(), tracer?.close()])),
  }
}

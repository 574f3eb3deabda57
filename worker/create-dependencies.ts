import { realpath } from "node:fs/promises"
import type { Client } from "@temporalio/client"
import type { Logger } from "pino"
import type { AgentDependencies } from "../activities/index.ts"
import type { ProviderName } from "../contracts/model-provider.ts"
import { type Timing, timingSchema } from "../contracts/config/timing.ts"
import { createAnnouncer } from "../sessions/delivery/announcer.ts"
import { readProjectNotes } from "../sessions/settings/read-project-notes.ts"
import { createEngineGuard } from "../sessions/engine/create-engine-guard.ts"
import type { EngineGuard } from "../engine/engine-guard.ts"
import { createMcpServers } from "../mcp-client/mcp-servers.ts"
import { apiKeyEnvOf } from "../models/api-key-env.ts"
import { classifyModelError } from "../models/classify-model-error.ts"
import type { ModelProvider } from "../models/model-provider.ts"
import { createModelProviders } from "../models/model-registry.ts"
import type { Store } from "../store/store.ts"
import { cutOutput } from "../tools/cut-output.ts"
import { builtInTools } from "../tools/built-in-tools.ts"
import { hiddenDirectories } from "../tools/files/confined-path.ts"
import { createDirectoryCheck } from "../tools/files/directory-problem.ts"
import { toolEnvironment } from "../tools/tool-environment.ts"
import type { Tool } from "../tools/tool.ts"
import { createSandboxes } from "./create-sandboxes.ts"
import type { SandboxSettings } from "./sandbox-settings.ts"

export interface WorkerSurroundings {
  /** Root session whose tree this worker was brought for: it takes activities of that tree only (docs/decisions/0002). */
  readonly hostFor?: string
  readonly temporal: Client
  readonly store: Store
  readonly dataDir: string
  readonly env: NodeJS.ProcessEnv
  readonly logger: Logger
  /** Takes known secrets out of a text. */
  readonly redact: (text: string) => string
  /** Tools of the program that embeds the worker, beside the built-in ones. */
  readonly tools?: readonly Tool[]
  /** `security.allowBinaryAgents`; default false. */
  readonly allowBinaryAgents?: boolean
  /** What compares the engine with the store's; default a guard of its own. */
  readonly engine?: EngineGuard
  /** Where the engine is reached, for people. */
  readonly address?: string
  /** `timing` of the configuration; default its defaults. */
  readonly timing?: Timing
  /** What `security` says of sandboxes; default bubblewrap or sandbox-runtime, without network. */
  readonly sandboxes?: SandboxSettings
  /** Providers that replace those of the same name. */
  readonly providers?: Partial<Readonly<Record<ProviderName, ModelProvider>>>
}

/** Everything that this worker's activities use, and its end. */
export interface WorkerDependencies extends AgentDependencies {
  close(): Promise<void>
}

export const createDependencies = (around: WorkerSurroundings): WorkerDependencies => {
  const mcp = createMcpServers({ env: around.env, toolEnv: (allow) => toolEnvironment(around.env, allow) })
  const sandboxes = createSandboxes(around.logger, around.sandboxes)
  const timing = around.timing ?? timingSchema.parse({})
  return {
    store: around.store,
    temporal: around.temporal,
    engine:
      around.engine ??
      createEngineGuard({
        temporal: around.temporal,
        store: around.store,
        checkEveryMs: timing.engineCheckMs,
        ...(around.address === undefined ? {} : { address: around.address }),
      }),
    timing,
    providers: { ...createModelProviders(), ...around.providers },
    classifyModelError,
    apiKeyEnvOf,
    tools: new Map([...builtInTools, ...(around.tools ?? [])].map((tool) => [tool.name, tool])),
    runsQuickTools: around.hostFor === undefined,
    mcp,
    cutOutput,
    allowBinaryAgents: around.allowBinaryAgents === true,
    sandboxFor: sandboxes.sandboxFor,
    env: around.env,
    toolEnv: (allow) => toolEnvironment(around.env, allow),
    dataDir: around.dataDir,
    directoryProblem: createDirectoryCheck(around.dataDir),
    hiddenDirectories: async (cwd) => hiddenDirectories({ cwd, dataDir: await realpath(around.dataDir) }),
    readProjectNotes: (cwd) => readProjectNotes(cwd, around.dataDir),
    announcer: createAnnouncer(around.store),
    redact: around.redact,
    logger: around.logger,
    close: async () => void (await Promise.all([mcp.close(), sandboxes.close()])),
  }
}

import type { Client } from "@temporalio/client"
import type { Logger } from "pino"
import type { AgentDependencies } from "../activities/index.ts"
import type { ProviderName } from "../contracts/run-snapshot.ts"
import { createAnnouncer } from "../client/deliveries/announcer.ts"
import { readProjectNotes } from "../client/read-project-notes.ts"
import { createMcpServers } from "../mcp-client/mcp-servers.ts"
import { apiKeyEnvOf } from "../models/api-key-env.ts"
import { classifyModelError } from "../models/classify-model-error.ts"
import type { ModelProvider } from "../models/model-provider.ts"
import { createModelProviders } from "../models/model-registry.ts"
import type { Store } from "../store/store.ts"
import { cutOutput } from "../tools/cut-output.ts"
import { builtInTools } from "../tools/built-in-tools.ts"
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
  return {
    store: around.store,
    temporal: around.temporal,
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
    readProjectNotes,
    announcer: createAnnouncer(around.store),
    redact: around.redact,
    logger: around.logger,
    close: async () => void (await Promise.all([mcp.close(), sandboxes.close()])),
  }
}

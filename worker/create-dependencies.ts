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
import { detectSandbox } from "../tools/sandbox/detect-sandbox.ts"
import { defaultProcessLimits } from "../tools/sandbox/run-process.ts"
import type { Sandbox } from "../tools/sandbox/sandbox.ts"
import { toolEnvironment } from "../tools/tool-environment.ts"
import type { Tool } from "../tools/tool.ts"

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
  /** Providers that replace those of the same name. */
  readonly providers?: Partial<Readonly<Record<ProviderName, ModelProvider>>>
}

/** The worker tries each sandbox once, when a run first needs it. */
const createSandboxes = (logger: Logger): AgentDependencies["sandboxFor"] => {
  const found = new Map<string, Promise<Sandbox>>()
  let warned = false
  return (mode, graceMs = defaultProcessLimits.graceMs) => {
    const key = `${mode} ${graceMs}`
    const known = found.get(key)
    if (known !== undefined) return known
    const detected = detectSandbox(mode, { limits: { ...defaultProcessLimits, graceMs } }).then((sandbox) => {
      if (!sandbox.confined && mode !== "off" && !warned) {
        warned = true
        logger.warn(`Bash runs without a sandbox: ${sandbox.reason ?? "none is there"} (set security.sandbox)`)
      }
      return sandbox
    })
    found.set(key, detected)
    return detected
  }
}

/** Everything that this worker's activities use. */
export const createDependencies = (around: WorkerSurroundings): AgentDependencies => ({
  store: around.store,
  temporal: around.temporal,
  providers: { ...createModelProviders(), ...around.providers },
  classifyModelError,
  apiKeyEnvOf,
  tools: new Map([...builtInTools, ...(around.tools ?? [])].map((tool) => [tool.name, tool])),
  runsQuickTools: around.hostFor === undefined,
  mcp: createMcpServers({ env: around.env, toolEnv: (allow) => toolEnvironment(around.env, allow) }),
  cutOutput,
  allowBinaryAgents: around.allowBinaryAgents === true,
  sandboxFor: createSandboxes(around.logger),
  env: around.env,
  toolEnv: (allow) => toolEnvironment(around.env, allow),
  dataDir: around.dataDir,
  readProjectNotes,
  announcer: createAnnouncer(around.store),
  redact: around.redact,
  logger: around.logger,
})

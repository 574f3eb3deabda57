import type { Client } from "@temporalio/client"
import type { Logger } from "pino"
import type { AgentDependencies } from "../activities/index.ts"
import type { ProviderName, SandboxMode } from "../contracts/run-snapshot.ts"
import { readProjectNotes } from "../client/read-project-notes.ts"
import { apiKeyEnvOf } from "../models/api-key-env.ts"
import { classifyModelError } from "../models/classify-model-error.ts"
import type { ModelProvider } from "../models/model-provider.ts"
import { createModelProviders } from "../models/model-registry.ts"
import type { Store } from "../store/store.ts"
import { builtInTools } from "../tools/built-in-tools.ts"
import { detectSandbox } from "../tools/sandbox/detect-sandbox.ts"
import type { Sandbox } from "../tools/sandbox/sandbox.ts"
import { toolEnvironment } from "../tools/tool-environment.ts"
import type { Tool } from "../tools/tool.ts"

export interface WorkerSurroundings {
  readonly temporal: Client
  readonly store: Store
  readonly dataDir: string
  readonly env: NodeJS.ProcessEnv
  readonly logger: Logger
  /** Takes known secrets out of a text. */
  readonly redact: (text: string) => string
  /** Tools of the program that embeds the worker, beside the built-in ones. */
  readonly tools?: readonly Tool[]
  /** Providers that replace those of the same name. */
  readonly providers?: Partial<Readonly<Record<ProviderName, ModelProvider>>>
}

/** The worker tries each sandbox mode once, when a run first needs it. */
const createSandboxes = (logger: Logger): ((mode: SandboxMode) => Promise<Sandbox>) => {
  const found = new Map<SandboxMode, Promise<Sandbox>>()
  return (mode) => {
    const known = found.get(mode)
    if (known !== undefined) return known
    const detected = detectSandbox(mode).then((sandbox) => {
      if (!sandbox.confined)
        logger.warn(`Bash runs without a sandbox: ${sandbox.reason ?? "none is there"} (set security.sandbox)`)
      return sandbox
    })
    found.set(mode, detected)
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
  sandboxFor: createSandboxes(around.logger),
  env: around.env,
  toolEnv: (allow) => toolEnvironment(around.env, allow),
  dataDir: around.dataDir,
  readProjectNotes,
  redact: around.redact,
  logger: around.logger,
})

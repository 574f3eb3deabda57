import { realpath } from "node:fs/promises"
import type { Logger } from "pino"
import type { AgentDependencies } from "../activities/index.ts"
import { leftOutText } from "../domain/approval/tool-verdicts.ts"
import { oncePerProject } from "../domain/once-per-project.ts"
import { identifyThisProcess } from "../server/process/process-identity.ts"
import { withTaskScratch } from "../tools/sandbox/task-scratch.ts"
import { createWorkspaceGuard } from "../tools/protection/workspace-guard.ts"
import { detectSandbox } from "../tools/sandbox/detect-sandbox.ts"
import { guardSandbox } from "../tools/sandbox/guard-sandbox.ts"
import { defaultProcessLimits } from "../tools/sandbox/process/run-process.ts"
import type { PlantedPaths, Sandbox } from "../tools/sandbox/sandbox.ts"
import type { SandboxSettings } from "./detect-sandbox.ts"
import { hasDied, machineOf } from "./worker-process.ts"

export interface Sandboxes {
  readonly sandboxFor: AgentDependencies["sandboxFor"]
  close(): Promise<void>
}

export interface SandboxesOptions {
  readonly logger: Logger
  readonly dataDir: string
  readonly settings?: SandboxSettings
  /** How long a sandbox that does not work is not tried again. */
  readonly retryMs?: number
}

const defaultRetryMs = 30_000

const defaultSettings: SandboxSettings = { backends: ["bubblewrap", "sandbox-runtime"] }

/**
 * Creates access to the worker's sandboxes. Each is tried when a run first needs it, and one that does not work again later. Checks the working directories of commands whose worker
 * died.
 */
export const createSandboxes = ({
  logger,
  dataDir,
  settings = defaultSettings,
  retryMs = defaultRetryMs,
}: SandboxesOptions): Sandboxes => {
  const found = new Map<string, Promise<Sandbox>>()
  let warned = false
  const guard = createWorkspaceGuard({
    dataDir: () => realpath(dataDir),
    worker: { ...identifyThisProcess(), machine: machineOf() },
    hasDied,
  })
  const onLatePlanted = ({ sessionId, cwd, planted }: PlantedPaths): void =>
    logger.warn({ session: sessionId, cwd, planted }, "a command created or changed protected files")

  const checkAbandoned = guard.checkAbandoned().then(
    (findings) => findings.forEach(onLatePlanted),
    (error: unknown) => logger.warn({ err: error }, "the commands of workers that have ended could not be checked"),
  )

  const detect = async (...[mode, options]: Parameters<typeof detectSandbox>): Promise<Sandbox> => {
    const sandbox = await detectSandbox(mode, options)
    if (!sandbox.confined && mode !== "off" && !warned) {
      warned = true
      logger.warn(oncePerProject, leftOutText(sandbox.reason))
    }
    return withTaskScratch(guardSandbox(sandbox, guard, onLatePlanted), dataDir)
  }

  return {
    sandboxFor(mode, graceMs = defaultProcessLimits.graceMs) {
      const key = `${mode} ${graceMs}`
      const known = found.get(key)
      if (known !== undefined) return known
      const detected = detect(mode, { ...settings, limits: { ...defaultProcessLimits, graceMs } })
      found.set(key, detected)
      const forget = (): void => void (found.get(key) === detected && found.delete(key))
      // A sandbox that failed can work later: it is tried again after a while, and is not used until then.
      const tryAgainLater = (): void => void setTimeout(forget, retryMs).unref()
      detected.then((sandbox) => (sandbox.confined || mode === "off" ? undefined : tryAgainLater()), forget)
      return detected
    },
    async close() {
      await checkAbandoned
      const sandboxes = await Promise.allSettled(found.values())
      found.clear()
      for (const result of sandboxes) if (result.status === "fulfilled") await result.value.close?.()
    },
  }
}

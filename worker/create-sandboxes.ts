import type { Logger } from "pino"
import type { AgentDependencies } from "../activities/index.ts"
import { detectSandbox } from "../tools/sandbox/detect-sandbox.ts"
import { defaultProcessLimits } from "../tools/sandbox/process/run-process.ts"
import type { Sandbox } from "../tools/sandbox/sandbox.ts"
import type { SandboxSettings } from "./detect-sandbox.ts"

export interface Sandboxes {
  readonly sandboxFor: AgentDependencies["sandboxFor"]
  close(): Promise<void>
}

const defaultSettings: SandboxSettings = { backends: ["bubblewrap", "sandbox-runtime"] }

/** Creates access to the worker's sandboxes. Each is tried once, when a run first needs it. */
export const createSandboxes = (logger: Logger, settings: SandboxSettings = defaultSettings): Sandboxes => {
  const found = new Map<string, Promise<Sandbox>>()
  let warned = false
  return {
    sandboxFor(mode, graceMs = defaultProcessLimits.graceMs) {
      const key = `${mode} ${graceMs}`
      const known = found.get(key)
      if (known !== undefined) return known
      const limits = { ...defaultProcessLimits, graceMs }
      const detected = detectSandbox(mode, { ...settings, limits }).then((sandbox) => {
        if (!sandbox.confined && mode !== "off" && !warned) {
          warned = true
          logger.warn(`Bash runs without a sandbox: ${sandbox.reason ?? "none is available"} (set security.sandbox)`)
        }
        return sandbox
      })
      found.set(key, detected)
      return detected
    },
    async close() {
      const sandboxes = await Promise.allSettled(found.values())
      found.clear()
      for (const result of sandboxes) if (result.status === "fulfilled") await result.value.close?.()
    },
  }
}

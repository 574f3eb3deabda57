import { sandboxUnavailable } from "./sandbox-unavailable.ts"
import type { SandboxMode } from "../../contracts/run-snapshot.ts"
import type { SandboxBackend } from "../../contracts/config/sandbox-settings.ts"
import type { Sandbox } from "./sandbox.ts"
import { tryBackend, type TryOptions } from "./try-backend.ts"
import { createUnconfined } from "./unconfined.ts"

export interface DetectOptions extends TryOptions {
  /** Tried in this order until one works; default bubblewrap alone. */
  readonly backends?: readonly SandboxBackend[]
}

const defaultBackends: readonly SandboxBackend[] = ["bubblewrap"]

/**
 * The sandbox for a mode, after really trying it: `auto` falls back to none and says why of every backend, `off` is none.
 * @throws AdjutantError `sandbox_unavailable` in mode `require` where nothing confines
 */
export const detectSandbox = async (mode: SandboxMode, options: DetectOptions = {}): Promise<Sandbox> => {
  if (mode === "off") return createUnconfined("the sandbox is switched off by the configuration", options.limits)
  const reasons: string[] = []
  for (const backend of options.backends ?? defaultBackends) {
    const found = await tryBackend(backend, options)
    if (typeof found !== "string") return found
    reasons.push(found)
  }
  const reason = reasons.join("; ")
  if (mode === "auto") return createUnconfined(reason, options.limits)
  throw sandboxUnavailable(
    `A sandbox is required, but ${reason}; make one of them work (adjutant doctor shows them), or require none.`,
  )
}

export interface SandboxSurvey {
  /** What a worker would use: the first backend that works. */
  readonly kind: Sandbox["kind"]
  readonly confined: boolean
  /** Why nothing confines here. */
  readonly reason?: string
  /** The backends that are not used: that each would work, or why it does not. */
  readonly others: readonly string[]
}

/** Tries every backend, for those who want to know of all; gives back what that held. */
export const surveySandboxes = async (mode: SandboxMode, options: DetectOptions): Promise<SandboxSurvey> => {
  if (mode === "off") return { ...(await detectSandbox("off")), others: [] }
  const working: SandboxBackend[] = []
  const reasons: string[] = []
  for (const backend of options.backends ?? defaultBackends) {
    const found = await tryBackend(backend, options)
    if (typeof found === "string") reasons.push(found)
    else {
      await found.close?.()
      working.push(backend)
    }
  }
  const [used, ...spare] = working
  if (used === undefined) return { kind: "none", confined: false, reason: reasons.join("; "), others: [] }
  return { kind: used, confined: true, others: [...spare.map((backend) => `${backend} works, too`), ...reasons] }
}

import { sandboxUnavailable } from "../sandbox-unavailable.ts"
import type { SandboxMode } from "../../contracts/approval/run-policy.ts"
import type { SandboxBackend } from "../../contracts/config/sandbox-settings.ts"
import type { Sandbox } from "./sandbox.ts"
import type { SandboxView } from "./view/sandbox-view.ts"
import { tryBackend, type TryOptions } from "./try-backend.ts"
import { createUnconfined } from "./unconfined.ts"

export interface DetectOptions extends TryOptions {
  /** Backends to try in this order until one works (default: only bubblewrap). */
  readonly backends?: readonly SandboxBackend[]
}

const defaultBackends: readonly SandboxBackend[] = ["bubblewrap"]

/**
 * Returns the sandbox for a mode, after trying it. If no backend works, `auto` returns none, with the reason of every backend. `off` returns none.
 * @throws AdjutantError `sandbox_unavailable` in mode `require` if no backend works
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
    `a sandbox is required, but ${reason}; make one of them work (adjutant doctor shows them), or do not require one`,
  )
}

export interface SandboxSurvey {
  /** The backend that a worker would use: the first one that works. */
  readonly kind: Sandbox["kind"]
  readonly confined: boolean
  /** Why no backend works. */
  readonly reason?: string
  /** For each backend that is not used: that it works, too, or why it does not. */
  readonly others: readonly string[]
  /** What its commands see besides the system and their working directory. */
  readonly view?: SandboxView | undefined
}

/** Tries every backend and reports on each. Releases what the trials used. */
export const surveySandboxes = async (mode: SandboxMode, options: DetectOptions): Promise<SandboxSurvey> => {
  if (mode === "off") return { ...(await detectSandbox("off")), others: [] }
  const working: Sandbox[] = []
  const reasons: string[] = []
  for (const backend of options.backends ?? defaultBackends) {
    const found = await tryBackend(backend, options)
    if (typeof found === "string") reasons.push(found)
    else {
      await found.close?.()
      working.push(found)
    }
  }
  const [used, ...spare] = working
  if (used === undefined) return { kind: "none", confined: false, reason: reasons.join("; "), others: [] }
  const others = [...spare.map(({ kind }) => `${kind} works, too`), ...reasons]
  return { kind: used.kind, confined: true, others, view: used.view }
}

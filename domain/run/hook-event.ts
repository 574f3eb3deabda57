import type { HookEvent } from "../../contracts/config/config-services.ts"
import type { RunSnapshot } from "../../contracts/run-snapshot.ts"

/** The event that a hook receives, as JSON. */
export interface HookMessage {
  readonly event: HookEvent
  readonly session_id: string
  readonly run_id: string
  readonly profile: string
  readonly type: RunSnapshot["type"]
  /** The instruction. */
  readonly input: string
  /** After hooks: the final message, or the partial one. */
  readonly result?: string
  /** After hooks: why the run did not complete. */
  readonly error?: { readonly code: string; readonly message: string }
  /** ISO 8601 UTC. */
  readonly at: string
}

export type HookPhase = "before" | "after"

export const hookEventOf = (type: RunSnapshot["type"], phase: HookPhase): HookEvent => `agent:${type}-${phase}-execute`

/** The result of a hook. */
export type HookVerdict =
  | { readonly verdict: "allow" }
  | { readonly verdict: "block"; readonly reason: string }
  /** The hook itself failed. Before a run this counts as a refusal, since its decision is unknown. */
  | { readonly verdict: "broken"; readonly reason: string }

const noReason = "no reason was given"

const blockReason = (answer: string): string | undefined => {
  let value: unknown
  try {
    value = JSON.parse(answer)
  } catch {
    return undefined
  }
  if (typeof value !== "object" || value === null || !("decision" in value) || value.decision !== "block")
    return undefined
  return "reason" in value && typeof value.reason === "string" && value.reason !== "" ? value.reason : noReason
}

/** Returns the verdict of a program: exit code 2 or a JSON answer blocks, 0 allows, anything else is broken. */
export const verdictOfProgram = (end: {
  /** Null if a signal ended it. */
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
  /** How it ended, as text for people: `exit code 1`. */
  readonly how: string
}): HookVerdict => {
  const reason = blockReason(end.stdout)
  if (end.exitCode === 2) return { verdict: "block", reason: reason ?? (end.stderr.trim() || noReason) }
  if (end.exitCode !== 0)
    return { verdict: "broken", reason: [end.how, end.stderr.trim()].filter((text) => text !== "").join(": ") }
  return reason === undefined ? { verdict: "allow" } : { verdict: "block", reason }
}

/** Returns the verdict of an HTTP response: a JSON answer blocks whatever its status, 2xx allows, anything else is broken. */
export const verdictOfResponse = (response: { readonly status: number; readonly body: string }): HookVerdict => {
  const reason = blockReason(response.body)
  if (reason !== undefined) return { verdict: "block", reason }
  return response.status >= 200 && response.status < 300
    ? { verdict: "allow" }
    : { verdict: "broken", reason: `it returned HTTP status ${response.status}` }
}

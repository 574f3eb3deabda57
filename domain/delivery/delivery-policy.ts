import type { RunTiming } from "../../contracts/config/timing.ts"

/** How often and for how long a delivery is attempted. */
export interface DeliveryPolicy {
  /** Total number of attempts, including the first. */
  readonly attempts: number
  /** The wait after the first attempt; it doubles up to `maxMs`. */
  readonly initialMs: number
  readonly maxMs: number
  /** Timeout of one attempt, from request to answer. */
  readonly timeoutMs: number
}

/** Returns the policy from the timing of a run or a configuration. */
export const deliveryPolicyOf = (
  timing: Pick<RunTiming, "deliveryAttempts" | "deliveryInitialMs" | "deliveryMaxMs" | "deliveryTimeoutMs">,
): DeliveryPolicy => ({
  attempts: timing.deliveryAttempts,
  initialMs: timing.deliveryInitialMs,
  maxMs: timing.deliveryMaxMs,
  timeoutMs: timing.deliveryTimeoutMs,
})

/** Input of the `delivery` workflow. The store's row contains the message and its destination. */
export interface DeliveryInput {
  readonly key: string
  readonly policy: DeliveryPolicy
  /** One line for the engine's UI; contains no address. */
  readonly summary: string
}

/**
 * `webhook`: an announcement to an address that the configuration names. `channel`: a message to the thread that a session is bound to.
 * `destination`: a message to people at a service that the configuration names.
 */
export const deliveryKinds = ["webhook", "channel", "destination"] as const

export const deliveryStatuses = ["pending", "delivered", "failed", "dismissed"] as const

export type DeliveryStatus = (typeof deliveryStatuses)[number]

/** The result of one attempt. */
export type DeliveryTry =
  | { readonly kind: "delivered" }
  /** No longer needed: it was dismissed, or its session was erased. */
  | { readonly kind: "dropped" }
  /** An earlier message to the thread has not been delivered: it was not sent, and does not count as an attempt. */
  | { readonly kind: "waits" }
  | { readonly kind: "permanent"; readonly reason: string }
  | { readonly kind: "again"; readonly reason: string; readonly afterMs: number }

const firstTurnWaitMs = 1_000
/** After this time without a try, the process that should make it may have died. */
export const longestTurnWaitMs = 300_000

/** Returns how long a message waits for its turn in the thread, if it is not told when that comes. */
export const turnDelayMs = (waits: number): number =>
  Math.min(firstTurnWaitMs * 2 ** Math.min(waits, 30), longestTurnWaitMs)

/** The longest wait that a receiver may request. */
const longestWaitMs = 86_400_000

/** Returns the wait after attempt number `attempt` (from 1); a receiver's `retry-after` takes precedence. */
export const deliveryDelayMs = (policy: DeliveryPolicy, attempt: number, retryAfterMs?: number): number => {
  if (retryAfterMs !== undefined) return Math.min(Math.max(retryAfterMs, policy.initialMs), longestWaitMs)
  return Math.min(policy.initialMs * 2 ** Math.min(attempt - 1, 30), policy.maxMs)
}

/** Returns whether an HTTP status means that the delivery succeeded, is retried, or has failed. Redirects are not followed: they lead to an address that is not configured. */
export const classifyDeliveryStatus = (status: number): "delivered" | "again" | "permanent" => {
  if (status >= 200 && status < 300) return "delivered"
  if (status >= 500 || status === 408 || status === 409 || status === 425 || status === 429) return "again"
  return "permanent"
}

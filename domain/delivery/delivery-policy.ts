import type { RunTiming } from "../../contracts/config/timing.ts"

/** How long, and how often, a delivery is tried. */
export interface DeliveryPolicy {
  /** Tries in all, the first one included. */
  readonly attempts: number
  /** First wait between two tries; it doubles up to `maxMs`. */
  readonly initialMs: number
  readonly maxMs: number
  /** One try, from request to answer. */
  readonly timeoutMs: number
}

/** The policy that a run's or a configuration's timing sets. */
export const deliveryPolicyOf = (
  timing: Pick<RunTiming, "deliveryAttempts" | "deliveryInitialMs" | "deliveryMaxMs" | "deliveryTimeoutMs">,
): DeliveryPolicy => ({
  attempts: timing.deliveryAttempts,
  initialMs: timing.deliveryInitialMs,
  maxMs: timing.deliveryMaxMs,
  timeoutMs: timing.deliveryTimeoutMs,
})

/** Input of the `delivery` workflow: the row in the store holds what is delivered, and where. */
export interface DeliveryInput {
  readonly key: string
  readonly policy: DeliveryPolicy
  /** One line for the engine's UI; names no address. */
  readonly summary: string
  /** Tries are offered to this queue first; see docs/decisions/0002. */
  readonly hostQueue?: string
}

export type DeliveryStatus = "pending" | "delivered" | "failed" | "dismissed"

/** What came of one try. */
export type DeliveryTry =
  | { readonly kind: "delivered" }
  /** Nobody wants it any more: it was dismissed, or its session erased. */
  | { readonly kind: "dropped" }
  | { readonly kind: "permanent"; readonly reason: string }
  | { readonly kind: "again"; readonly reason: string; readonly afterMs: number }

/** Longest wait that a receiver may ask for. */
const longestWaitMs = 86_400_000

/** The wait after try number `attempt` (from 1); a receiver's `retry-after` takes precedence. */
export const deliveryDelayMs = (policy: DeliveryPolicy, attempt: number, retryAfterMs?: number): number => {
  if (retryAfterMs !== undefined) return Math.min(Math.max(retryAfterMs, policy.initialMs), longestWaitMs)
  return Math.min(policy.initialMs * 2 ** Math.min(attempt - 1, 30), policy.maxMs)
}

/** What an HTTP status says about trying again. A 3xx is not followed: an address that was not configured must not be reached. */
export const classifyDeliveryStatus = (status: number): "delivered" | "again" | "permanent" => {
  if (status >= 200 && status < 300) return "delivered"
  if (status >= 500 || status === 408 || status === 409 || status === 425 || status === 429) return "again"
  return "permanent"
}

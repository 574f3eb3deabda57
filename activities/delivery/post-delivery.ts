import { Webhook } from "standardwebhooks"
import { classifyDeliveryStatus, deliveryDelayMs, type DeliveryTry } from "../../domain/delivery/delivery-policy.ts"
import { withWebhookSecret } from "../../domain/delivery/webhook-secret.ts"
import { outgoing } from "../../network/outgoing.ts"
import { retryAfterMs } from "../../sessions/notify/send/ask-service.ts"
import type { DeliveryRow } from "../../store/store.ts"

const userAgent = "adjutant"

/** Failures before anything was sent. */
const unsent: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EDNS",
  "EHOSTUNREACH",
  "ENETUNREACH",
])

const networkCode = (error: unknown): string | undefined => {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Error && "code" in cause ? String(cause.code) : undefined
}

/** Returns whether the receiver may have got a request that failed. */
export const mayHaveArrived = (error: unknown): boolean => !unsent.has(networkCode(error) ?? "")

/** Returns the reason of a network error, without the address, which may contain a secret. */
export const networkReason = (error: unknown, timeoutMs: number): string => {
  if (error instanceof Error && error.name === "TimeoutError") return `no answer within ${timeoutMs} ms`
  const code = networkCode(error)
  return code === undefined ? "the receiver could not be reached" : `the receiver could not be reached (${code})`
}

export interface Posting {
  readonly secret: string
  /** Which try it is, from 1. */
  readonly attempt: number
  readonly signal: AbortSignal
}

/**
 * Posts a delivery, signed by Standard Webhooks under an id that is the same with every try. The address comes from the configuration only, and
 * redirects are not followed.
 */
export const postDelivery = async (row: DeliveryRow, { secret, attempt, signal }: Posting): Promise<DeliveryTry> => {
  const { policy, key, body, url } = row
  const now = new Date()
  const again = (reason: string, afterMs?: number): DeliveryTry => ({
    kind: "again",
    reason,
    afterMs: deliveryDelayMs(policy, attempt, afterMs),
  })
  let response: Response
  try {
    response = await outgoing(url, {
      method: "POST",
      redirect: "manual",
      headers: {
        "content-type": "application/json",
        "user-agent": userAgent,
        "webhook-id": key,
        "webhook-timestamp": String(Math.floor(now.getTime() / 1_000)),
        "webhook-signature": withWebhookSecret(secret, (...args) => new Webhook(...args)).sign(key, now, body),
      },
      body,
      signal: AbortSignal.any([signal, AbortSignal.timeout(policy.timeoutMs)]),
    })
  } catch (error) {
    signal.throwIfAborted()
    return again(networkReason(error, policy.timeoutMs))
  }
  await response.body?.cancel().catch(() => undefined)
  const { status } = response
  switch (classifyDeliveryStatus(status)) {
    case "delivered":
      return { kind: "delivered" }
    case "again":
      return again(`the receiver answered ${status}`, retryAfterMs(response.headers))
    case "permanent":
      return {
        kind: "permanent",
        reason:
          status < 400
            ? `the receiver answered ${status}: redirects are not followed, configure the final address`
            : `the receiver answered ${status}`,
      }
  }
}

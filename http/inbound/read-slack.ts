import type { z } from "zod"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { slackButtonSchema, slackPayloadSchema } from "../../contracts/http/inbound-webhook.ts"
import { dayMs } from "../../domain/text/duration.ts"
import type { SeenPause } from "../../sessions/decide-request.ts"
import { isHmacOf } from "./constant-time.ts"
import type { InboundWebhook } from "./inbound-command.ts"
import { forged, type InboundRequest, parseWebhook } from "./inbound-request.ts"

/** Accepted difference between the sender's clock and this one, and how long a captured request stays valid. */
const toleranceMs = 300_000

const checkSignature = (request: InboundRequest, secret: string, nowMs: number): string => {
  const timestamp = request.header("x-slack-request-timestamp") ?? ""
  const signature = /^v0=([0-9a-f]{64})$/.exec(request.header("x-slack-signature") ?? "")?.[1]
  const isFresh = /^\d{1,12}$/.test(timestamp) && Math.abs(nowMs - Number(timestamp) * 1_000) <= toleranceMs
  const signed = Buffer.concat([Buffer.from(`v0:${timestamp}:`), request.body])
  if (signature === undefined || !isHmacOf(signature, secret, signed) || !isFresh) throw forged()
  return signature
}

/** Returns the challenge that Slack sends to verify a new request URL. */
const challengeOf = (body: string): string | undefined => {
  if (!body.startsWith("{")) return undefined
  const event = parseWebhook(body)
  const isChallenge =
    typeof event === "object" && event !== null && "challenge" in event && typeof event.challenge === "string"
  return isChallenge ? String(event.challenge).slice(0, 500) : undefined
}

/** Without a checkpoint, the button is about what was pending when its message was sent. */
const seenOf = (checkpointId: string | undefined, { message }: z.infer<typeof slackPayloadSchema>): SeenPause => {
  if (checkpointId !== undefined) return { checkpointId }
  return { seenAtMs: message === undefined ? 0 : Number(message.ts) * 1_000 }
}

/**
 * Verifies and parses a pressed button of a Slack message, signed by `X-Slack-Signature`.
 * @throws AdjutantError `unauthorized`, `invalid_json`, `invalid_argument`
 */
export const readSlack = (
  request: InboundRequest,
  secret: string,
  { approvers, nowMs }: { readonly approvers: readonly string[]; readonly nowMs: number },
): InboundWebhook => {
  const signature = checkSignature(request, secret, nowMs)
  const body = request.body.toString("utf8")
  const challenge = challengeOf(body)
  if (challenge !== undefined) return { kind: "ignored", answer: { challenge } }
  const payload = new URLSearchParams(body).get("payload")
  if (payload === null) return { kind: "ignored" }
  const parsed = slackPayloadSchema.safeParse(parseWebhook(payload))
  const value = parsed.data?.actions?.find((action) => action.value !== undefined)?.value
  const user = parsed.data?.user?.id
  if (parsed.data?.type !== "block_actions" || value === undefined || user === undefined) return { kind: "ignored" }
  const button = slackButtonSchema.safeParse(parseWebhook(value))
  if (!button.success)
    throw new AdjutantError(
      "invalid_argument",
      "the button's value must be JSON {task_id, checkpoint_id, call_ids, action: approve or reject}",
    )
  const { task_id: taskId, checkpoint_id: checkpointId, call_ids: callIds = "all", action: kind } = button.data
  return {
    kind: "command",
    command: { kind, taskId, callIds, ...seenOf(checkpointId, parsed.data) },
    by: user,
    refusal: approvers.includes(user) ? undefined : "not an approver",
    author: "person",
    identity: { kind: "slack", id: user },
    ...(parsed.data.response_url === undefined ? {} : { replyUrl: parsed.data.response_url }),
    deliveryKey: signature,
    keepMs: dayMs,
  }
}

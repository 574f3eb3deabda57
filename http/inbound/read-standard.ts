import { Webhook } from "standardwebhooks"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { standardInboundSchema } from "../../contracts/http/inbound-webhook.ts"
import type { InboundCommand, InboundWebhook } from "./inbound-command.ts"
import { dayMs, forged, type InboundRequest, parseJson } from "./inbound-request.ts"

/** Secrets are Base64, with `whsec_` before it or not; one that cannot be is taken as it is. */
export const webhookOf = (secret: string): Webhook => {
  try {
    return new Webhook(secret)
  } catch {
    return new Webhook(secret, { format: "raw" })
  }
}

const commandOf = (body: unknown): InboundCommand => {
  const parsed = standardInboundSchema.safeParse(body)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    throw new AdjutantError(
      "invalid_argument",
      `${["body", ...(issue?.path ?? [])].join(".")}: ${issue?.message ?? "invalid"}`,
    )
  }
  const { data } = parsed
  const target = { taskId: data.task_id, checkpointId: data.checkpoint_id }
  switch (data.action) {
    case "approve":
      return { kind: data.action, ...target, callIds: data.call_ids ?? "all" }
    case "reject":
      return { kind: data.action, ...target, callIds: data.call_ids ?? "all", reason: data.reason }
    case "input":
    case "steer":
      return { kind: data.action, ...target, text: data.text }
  }
}

/** Standard Webhooks, which sign an id and a time with the body. @throws AdjutantError `unauthorized`, `invalid_json`, `invalid_argument` */
export const readStandard = (request: InboundRequest, secret: string, hookName: string): InboundWebhook => {
  const id = request.header("webhook-id") ?? ""
  try {
    webhookOf(secret).verify(
      request.body,
      {
        "webhook-id": id,
        "webhook-timestamp": request.header("webhook-timestamp") ?? "",
        "webhook-signature": request.header("webhook-signature") ?? "",
      },
      { jsonParse: false },
    )
  } catch {
    throw forged()
  }
  return {
    kind: "command",
    command: commandOf(parseJson(request.body.toString("utf8"))),
    by: hookName,
    isApprover: true,
    deliveryKey: id,
    keepMs: dayMs,
  }
}

import type { z } from "zod"
import { standardInboundSchema } from "../../contracts/http/inbound-webhook.ts"
import { dayMs } from "../../domain/text/duration.ts"
import type { InboundCommand, InboundWebhook } from "./inbound-command.ts"
import { type InboundRequest, parseBody } from "./inbound-request.ts"
import { verifyStandard } from "./verify-standard.ts"

const commandOf = (data: z.infer<typeof standardInboundSchema>, seenAtMs: number): InboundCommand => {
  const target = { taskId: data.task_id, checkpointId: data.checkpoint_id, seenAtMs }
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

/**
 * Verifies and parses a Standard Webhook, which signs an id and a time with the body.
 * @throws AdjutantError `unauthorized`, `invalid_json`, `invalid_argument`
 */
export const readStandard = (request: InboundRequest, secret: string, hookName: string): InboundWebhook => {
  verifyStandard(request, secret)
  return {
    kind: "command",
    command: commandOf(parseBody(standardInboundSchema, request), Number(request.header("webhook-timestamp")) * 1_000),
    by: hookName,
    author: "program",
    deliveryKey: request.header("webhook-id") ?? "",
    keepMs: dayMs,
  }
}

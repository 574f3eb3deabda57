import type { SendMessageBody, StartRunBody } from "../../contracts/http/send-message.ts"
import type { SendRequest } from "../../sessions/messages/send-request.ts"

type Limits = Omit<Pick<SendMessageBody, keyof SendMessageBody & keyof StartRunBody>, "message" | "messages">

const autoApproveOf = (approval: NonNullable<SendRequest["limits"]>["approval"]): Limits["auto_approve"] => {
  if (approval === undefined) return undefined
  return typeof approval === "string" ? approval === "all" : [...approval]
}

/** Returns the limits of a run as fields of a request's body. */
export const limitFields = (limits: SendRequest["limits"] = {}): Limits => ({
  model: limits.model,
  thinking: limits.thinking,
  sandbox: limits.unconfined === true ? "off" : limits.sandbox,
  max_steps: limits.maxSteps,
  allowed_tools: limits.tools === undefined ? undefined : [...limits.tools],
  auto_approve: autoApproveOf(limits.approval),
  pause_on_approval: limits.pauseOnText,
  output_schema: limits.outputSchema,
  system_prompt: limits.systemPrompt,
  context: limits.context?.map(({ name, content }) => ({ name, content })),
  budget_usd: limits.budgetUsd,
  budget_tokens: limits.budgetTokens,
  timeout_seconds: limits.timeoutSeconds,
})

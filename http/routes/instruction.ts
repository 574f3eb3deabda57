import type { SendMessageBody, StartRunBody } from "../../contracts/http/send-message.ts"
import type { SendRequest } from "../../sessions/messages/send-request.ts"

/** The text and the limits in the body of a request. */
type Instruction = Pick<SendMessageBody, keyof SendMessageBody & keyof StartRunBody>

type MessageInput = NonNullable<Instruction["message"]>

const textOf = (input: MessageInput): string => (typeof input === "string" ? input : input.content)

/** Returns the texts of a message as one. */
export const messageText = ({ message, messages }: Instruction): string =>
  (messages ?? (message === undefined ? [] : [message])).map(textOf).join("\n\n")

const approvalOf = (autoApprove: Instruction["auto_approve"]): "policy" | "all" | readonly string[] | undefined => {
  if (autoApprove === undefined) return undefined
  if (typeof autoApprove === "boolean") return autoApprove ? "all" : "policy"
  return autoApprove
}

/** Returns the limits of the run that the message starts. */
export const limitsOf = (body: Instruction): NonNullable<SendRequest["limits"]> => ({
  model: body.model,
  thinking: body.thinking,
  sandbox: body.sandbox === "off" ? undefined : body.sandbox,
  unconfined: body.sandbox === "off" ? true : undefined,
  maxSteps: body.max_steps,
  tools: body.allowed_tools,
  approval: approvalOf(body.auto_approve),
  pauseOnText: body.pause_on_approval,
  outputSchema: body.output_schema,
  systemPrompt: body.system_prompt,
  context: body.context,
  budgetUsd: body.budget_usd,
  budgetTokens: body.budget_tokens,
  timeoutSeconds: body.timeout_seconds,
})

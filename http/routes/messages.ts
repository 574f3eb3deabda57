import type { SendRequest } from "../../sessions/messages/send-request.ts"
import { sessionParamsSchema } from "../../contracts/http/http-ids.ts"
import { runAnswerSchema, type SendMessageBody, sendMessageBodySchema } from "../../contracts/http/send-message.ts"
import { actorOf } from "../security/actor-of.ts"
import type { HttpContext } from "../http-options.ts"
import { repeatableMessage } from "../answers/idempotency.ts"
import { routeOf, type ZodApp } from "../openapi.ts"

type MessageInput = NonNullable<SendMessageBody["message"]>

const textOf = (input: MessageInput): string => (typeof input === "string" ? input : input.content)

/** Returns one text for the model: the named pieces of context, then the task. */
const messageText = ({ message, messages, context = [] }: SendMessageBody): string => {
  const inputs = messages ?? (message === undefined ? [] : [message])
  const task = inputs.map(textOf).join("\n\n")
  if (context.length === 0) return task
  const pieces = context.map(({ name, content }) => `=== CONTEXT: ${name} ===\n${content}`)
  return [...pieces, `=== YOUR TASK ===\n${task}`].join("\n\n")
}

const approvalOf = (autoApprove: SendMessageBody["auto_approve"]): "policy" | "all" | readonly string[] | undefined => {
  if (autoApprove === undefined) return undefined
  if (typeof autoApprove === "boolean") return autoApprove ? "all" : "policy"
  return autoApprove
}

const limitsOf = (body: SendMessageBody): NonNullable<SendRequest["limits"]> => ({
  model: body.model,
  sandbox: body.sandbox,
  maxSteps: body.max_steps,
  tools: body.allowed_tools,
  approval: approvalOf(body.auto_approve),
  pauseOnText: body.pause_on_approval,
  systemPrompt: body.system_prompt,
  budgetUsd: body.budget_usd,
  budgetTokens: body.budget_tokens,
  timeoutSeconds: body.timeout_seconds,
})

/** Adds the route that sends a text to a session: an instruction, an answer, a follow-up or steering. */
export const messageRoutes = (app: ZodApp, context: HttpContext): void => {
  app.post(
    "/v1/sessions/:id/messages",
    routeOf("sessions", "Send a message, which starts a run, answers a question, is queued, or steers", {
      access: "run",
      params: sessionParamsSchema,
      body: sendMessageBodySchema,
      answers: { 202: runAnswerSchema },
    }),
    async (request, reply) => {
      const { body, params } = request
      const { runId } = await context.client.send({
        sessionId: params.id,
        text: messageText(body),
        type: body.type,
        runId: body.run_id,
        checkpointId: body.checkpoint_id,
        limits: limitsOf(body),
        ...repeatableMessage(request),
        actor: actorOf(request, context),
      })
      return reply.code(202).send({ run_id: runId })
    },
  )
}

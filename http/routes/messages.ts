import { z } from "zod"
import { messageParamsSchema, sessionParamsSchema } from "../../contracts/http/http-ids.ts"
import { runAnswerSchema, sendMessageBodySchema } from "../../contracts/http/send-message.ts"
import { pickRunOptions } from "../../contracts/run/run-options.ts"
import { joinedTexts } from "./instruction.ts"
import { actorOf } from "../security/actor-of.ts"
import type { HttpContext } from "../http-options.ts"
import { repeatableMessage } from "../answers/idempotency.ts"
import { clientOf } from "../local-call.ts"
import { routeOf, type ZodApp } from "../openapi.ts"

/** Adds the routes that send a text to a session, an instruction, an answer, a follow-up or steering, and that take one back. */
export const messageRoutes = (app: ZodApp, context: HttpContext): void => {
  app.post(
    "/v1/sessions/:id/messages",
    routeOf("sessions", "sendMessage", "Send a message, which starts a run, answers a question, is queued, or steers", {
      access: "run",
      params: sessionParamsSchema,
      body: sendMessageBodySchema,
      answers: { 202: runAnswerSchema },
    }),
    async (request, reply) => {
      const { body, params } = request
      const { runId, state, effect } = await clientOf(request, context).send({
        sessionId: params.id,
        text: joinedTexts(body),
        type: body.type,
        runId: body.run_id,
        checkpointId: body.checkpoint_id,
        limits: pickRunOptions(body),
        ...repeatableMessage(request),
        actor: actorOf(request, context),
      })
      return reply.code(202).send({ run_id: runId, state, effect })
    },
  )

  app.delete(
    "/v1/sessions/:id/messages/:message_id",
    routeOf("sessions", "withdrawMessage", "Take back a queued message that no run has read yet", {
      access: "run",
      params: messageParamsSchema,
      answers: { 204: z.null() },
    }),
    async (request, reply) => {
      const { id, message_id: messageId } = request.params
      await clientOf(request, context).withdraw(id, messageId, actorOf(request, context))
      return reply.code(204).send(null)
    },
  )
}

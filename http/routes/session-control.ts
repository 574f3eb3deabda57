import { sessionParamsSchema } from "../../contracts/http/http-ids.ts"
import {
  cancelAnswerSchema,
  cancelBodySchema,
  forkBodySchema,
  modelAnswerSchema,
  retryAnswerSchema,
  setModelBodySchema,
} from "../../contracts/http/sessions.ts"
import { stopAnswerSchema, stopBodySchema } from "../../contracts/http/stop.ts"
import { sessionSchema } from "../../contracts/session/session.ts"
import { actorOf } from "../security/actor-of.ts"
import type { HttpContext } from "../http-options.ts"
import { repeatableMessage, repeatableSessionId } from "../answers/idempotency.ts"
import { routeOf, type ZodApp } from "../openapi.ts"

const modelRoutes = (app: ZodApp, context: HttpContext): void => {
  const { client } = context
  app.post(
    "/v1/sessions/:id/model",
    routeOf("sessions", "setModel", "Change the model, starting with the next step", {
      access: "run",
      params: sessionParamsSchema,
      body: setModelBodySchema,
      answers: { 200: modelAnswerSchema },
    }),
    async (request) => {
      const { id } = request.params
      const { runId } = await client.setModel(id, request.body.model, actorOf(request, context))
      const { model } = await client.info(id)
      return { run_id: runId === "" ? null : runId, model }
    },
  )

  app.post(
    "/v1/sessions/:id/retry",
    routeOf("sessions", "retryModel", "Call the model of a session that waits for its provider now", {
      access: "run",
      params: sessionParamsSchema,
      answers: { 200: retryAnswerSchema },
    }),
    async (request) => {
      const { id } = request.params
      const { status } = await client.retry(id, actorOf(request, context))
      return { session_id: id, status }
    },
  )
}

/** Adds the routes that cancel a session, change its model and fork it. */
export const sessionControlRoutes = (app: ZodApp, context: HttpContext): void => {
  const { client } = context
  app.post(
    "/v1/sessions/:id/cancel",
    routeOf("sessions", "cancelSession", "Cancel the run of a session and of all its descendants", {
      access: "run",
      params: sessionParamsSchema,
      body: cancelBodySchema,
      answers: { 200: cancelAnswerSchema },
    }),
    async (request) => {
      const { id } = request.params
      const { status } = await client.cancel(id, actorOf(request, context), request.body?.run_id)
      return { session_id: id, status }
    },
  )

  modelRoutes(app, context)

  app.post(
    "/v1/sessions/:id/fork",
    routeOf(
      "sessions",
      "forkSession",
      "Start a new session from a step of this one, with the same or narrower limits",
      {
        access: "run",
        params: sessionParamsSchema,
        body: forkBodySchema,
        answers: { 201: sessionSchema },
        location: "/v1/sessions/{id}",
      },
    ),
    async (request, reply) => {
      const actor = actorOf(request, context)
      const { at_step: atStep, message } = request.body
      const newSessionId = repeatableSessionId(request)
      const fork = await client.fork({ sessionId: request.params.id, atStep, newSessionId, actor })
      reply.code(201)
      if (message === undefined) return fork
      await client.send({
        sessionId: fork.id,
        text: message,
        type: "message",
        ...repeatableMessage(request),
        actor,
      })
      return await client.info(fork.id)
    },
  )
}

/** Adds the route that cancels every open session. */
export const stopRoute = (app: ZodApp, context: HttpContext): void => {
  const { client } = context
  app.post(
    "/v1/stop",
    routeOf("sessions", "stopAll", "Cancel every open session of the store", {
      access: "admin",
      body: stopBodySchema,
      answers: { 200: stopAnswerSchema },
    }),
    (request) => client.stopAll(actorOf(request, context)),
  )
}

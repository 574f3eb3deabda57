import { z } from "zod"
import { defaultWorkspace } from "../../config/workspaces.ts"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { sessionParamsSchema } from "../../contracts/http/http-ids.ts"
import { startedRunSchema, startRunBodySchema } from "../../contracts/http/send-message.ts"
import { outcomeQuerySchema } from "../../contracts/http/session-events.ts"
import { targetParamsSchema, targetSchema } from "../../contracts/http/targets.ts"
import { pickRunOptions } from "../../contracts/run/run-options.ts"
import { outcomeDocumentSchema } from "../../contracts/outcome-document.ts"
import { withLimitAdvice } from "../../domain/advice/limit-advice.ts"
import { httpCallerId } from "../../domain/caller/caller-id.ts"
import { repeatableMessage, repeatableSessionId } from "../answers/idempotency.ts"
import type { HttpMetrics } from "../http-metrics.ts"
import type { HttpContext } from "../http-options.ts"
import { routeOf, type ZodApp } from "../openapi.ts"
import { actorOf } from "../security/actor-of.ts"
import { messageText } from "./instruction.ts"

/** Adds the route that starts a task in one request. */
const startRoute = (app: ZodApp, context: HttpContext): void => {
  app.post(
    "/v1/runs",
    routeOf("sessions", "startRun", "Create a session and start its first run; nothing remains if it is refused", {
      access: "run",
      body: startRunBodySchema,
      answers: { 202: startedRunSchema },
    }),
    async (request, reply) => {
      const { body } = request
      const { title, label, agent, model, metadata, cwd = defaultWorkspace(context.loaded) } = body
      const { sessionId, runId } = await context.client.startTask({
        ...{ title, label, agent, model, metadata, cwd },
        text: messageText(body),
        limits: pickRunOptions(body),
        sessionId: repeatableSessionId(request),
        ...repeatableMessage(request),
        actor: actorOf(request, context),
        ...(request.caller === null ? {} : { caller: httpCallerId(request.caller.name) }),
      })
      return reply
        .code(202)
        .header("location", `/v1/sessions/${sessionId}`)
        .send({ session_id: sessionId, run_id: runId })
    },
  )
}

/** Adds the route that waits for the outcome of a session. */
const outcomeRoute = (app: ZodApp, { client, closing }: HttpContext, { streams }: HttpMetrics): void => {
  app.get(
    "/v1/sessions/:id/outcome",
    routeOf(
      "sessions",
      "waitForOutcome",
      "Wait until a session and everything below it has ended or paused; 204 if it is still running",
      {
        access: "read",
        params: sessionParamsSchema,
        querystring: outcomeQuerySchema,
        answers: { 200: outcomeDocumentSchema, 204: z.null() },
      },
    ),
    async (request, reply) => {
      const { params, query } = request
      const close = streams.take(request)
      const left = new AbortController()
      reply.raw.once("close", () => left.abort())
      const signal = AbortSignal.any([closing, left.signal])
      try {
        const document = await client.wait(params.id, { timeoutSeconds: query.wait_seconds, signal })
        return document === undefined ? await reply.code(204).send(null) : withLimitAdvice(document, "http")
      } catch (error) {
        if (!signal.aborted) throw error
        throw new AdjutantError("temporal_unavailable", "the server is closing; send the request again")
      } finally {
        close()
      }
    },
  )
}

/** Adds the route that finds a session by any of its names. */
const targetRoute = (app: ZodApp, { client }: HttpContext): void => {
  app.get(
    "/v1/targets/:target",
    routeOf("sessions", "findTarget", "Find the session of an id, a checkpoint id, a label or a session key", {
      access: "read",
      params: targetParamsSchema,
      answers: { 200: targetSchema },
    }),
    ({ params, caller }) =>
      client.inspectTarget(
        params.target,
        caller === null ? {} : { caller: httpCallerId(caller.name), reachesAll: true },
      ),
  )
}

/** Adds the routes that start a task, find it and wait for its outcome. */
export const runRoutes = (app: ZodApp, context: HttpContext, metrics: HttpMetrics): void => {
  startRoute(app, context)
  targetRoute(app, context)
  outcomeRoute(app, context, metrics)
}

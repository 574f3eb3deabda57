import { z } from "zod"
import { defaultWorkspace } from "../../config/workspaces.ts"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { sessionParamsSchema } from "../../contracts/http/http-ids.ts"
import { startRunBodySchema } from "../../contracts/http/send-message.ts"
import { startedRunSchema } from "../../contracts/http/started-run.ts"
import { outcomeQuerySchema } from "../../contracts/http/session-events.ts"
import { targetParamsSchema, targetSchema } from "../../contracts/http/targets.ts"
import { pickRunOptions } from "../../contracts/run/run-options.ts"
import { outcomeDocumentSchema } from "../../contracts/session/outcome-document.ts"
import { withLimitAdvice } from "../../domain/advice/limit-advice.ts"
import { repeatableMessage, repeatableSessionId } from "../answers/idempotency.ts"
import type { HttpMetrics } from "../security/open-streams.ts"
import type { HttpContext } from "../http-options.ts"
import { clientOf, ownerOf } from "../local-call.ts"
import { routeOf, type ZodApp } from "../openapi.ts"
import { actorOf } from "../security/actor-of.ts"
import { joinedTexts } from "./instruction.ts"

/** Adds the route that starts a task in one request. */
const startRoute = (app: ZodApp, context: HttpContext): void => {
  app.post(
    "/v1/runs",
    routeOf("sessions", "startRun", "Create a session and start its first run; nothing remains if it is refused", {
      access: "run",
      body: startRunBodySchema,
      answers: { 202: startedRunSchema },
      location: "/v1/sessions/{session_id}",
    }),
    async (request, reply) => {
      const { body } = request
      const { title, label, agent, model, metadata, cwd = defaultWorkspace(context.loaded) } = body
      const { sessionId, runId } = await clientOf(request, context).startTask({
        ...{ title, label, agent, model, metadata, cwd },
        text: joinedTexts(body),
        limits: pickRunOptions(body),
        sessionId: request.local?.tree?.rootId ?? repeatableSessionId(request),
        ...repeatableMessage(request),
        actor: actorOf(request, context),
        ...ownerOf(request),
      })
      return reply.code(202).send({ session_id: sessionId, run_id: runId })
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
        if (document === undefined) return await reply.code(204).send(null)
        return request.local === null ? withLimitAdvice(document, "http") : document
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
    (request) => {
      const owner = ownerOf(request)
      return client.inspectTarget(
        request.params.target,
        owner.caller === undefined ? {} : { caller: owner.caller, reachesAll: true },
      )
    },
  )
}

/** Adds the routes that start a task, find it and wait for its outcome. */
export const runRoutes = (app: ZodApp, context: HttpContext, metrics: HttpMetrics): void => {
  startRoute(app, context)
  targetRoute(app, context)
  outcomeRoute(app, context, metrics)
}

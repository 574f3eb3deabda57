import { sessionParamsSchema } from "../../contracts/http/http-ids.ts"
import {
  decisionsAnswerSchema,
  pendingToolsSchema,
  toolDecisionsBodySchema,
} from "../../contracts/http/tool-decisions.ts"
import { actorOf } from "../security/actor-of.ts"
import type { HttpContext } from "../http-options.ts"
import { routeOf, type ZodApp } from "../openapi.ts"

/** Calls that wait, and what is said of them. */
export const toolDecisionRoutes = (app: ZodApp, context: HttpContext): void => {
  const { client } = context

  app.get(
    "/v1/sessions/:id/tools/pending",
    routeOf("approvals", "List the calls that wait for a decision, those of sessions below included", {
      access: "read",
      params: sessionParamsSchema,
      answers: { 200: pendingToolsSchema },
    }),
    async ({ params }) => {
      const { pending, ...ids } = await client.pending(params.id)
      return { ...ids, pending: pending.map((call) => ({ ...call, arguments: { ...call.arguments } })) }
    },
  )

  app.post(
    "/v1/sessions/:id/tools/decisions",
    routeOf("approvals", "Decide on calls of this session; those not listed stay pending", {
      access: "approve",
      params: sessionParamsSchema,
      body: toolDecisionsBodySchema,
      answers: { 200: decisionsAnswerSchema },
    }),
    async (request) => {
      const { run_id, checkpoint_id, decisions } = request.body
      const { runId, state } = await client.decide({
        sessionId: request.params.id,
        runId: run_id,
        checkpointId: checkpoint_id,
        decisions,
        unlisted: "pending",
        actor: actorOf(request, context),
      })
      return { run_id: runId, state }
    },
  )
}

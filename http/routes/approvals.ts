import {
  approvalListSchema,
  approvalsQuerySchema,
  issuedLinkSchema,
  issueLinkBodySchema,
} from "../../contracts/http/approvals.ts"
import { actorOf } from "../security/actor-of.ts"
import type { HttpContext } from "../http-options.ts"
import { decisionsAnswerOf } from "../answers/decisions-answer.ts"
import { routeOf, type ZodApp } from "../openapi.ts"
import { callPreviewSchema } from "../../contracts/approval/call-preview.ts"
import { callParamsSchema, sessionParamsSchema } from "../../contracts/http/http-ids.ts"
import {
  decisionsAnswerSchema,
  pendingToolsSchema,
  toolDecisionsBodySchema,
} from "../../contracts/http/tool-decisions.ts"

/** Adds the list of everything that waits for a person, and links with which a person decides without a token. */
export const approvalRoutes = (app: ZodApp, context: HttpContext): void => {
  const { client, publicUrl } = context

  app.get(
    "/v1/approvals",
    routeOf("approvals", "listApprovals", "List everything that waits for a person, oldest first", {
      access: "read",
      querystring: approvalsQuerySchema,
      answers: { 200: approvalListSchema },
    }),
    async ({ query }) => {
      const { items, next_cursor } = await client.approvals({ root: query.root_session_id })
      return { items: items.map((item) => ({ ...item, pending: [...item.pending] })), next_cursor }
    },
  )

  app.post(
    "/v1/approval-links",
    routeOf("approvals", "createApprovalLink", "Create a link that decides a pause once, without a token", {
      access: "approve",
      body: issueLinkBodySchema,
      answers: { 201: issuedLinkSchema },
    }),
    async (request, reply) => {
      const { checkpoint_id: checkpointId, to, ttl_seconds } = request.body
      const actor = actorOf(request, context)
      const { token, expiresAt } = await client.issueLink({ checkpointId, to, ttlMs: ttl_seconds * 1_000, actor })
      const url = `${publicUrl()}/v1/approvals/${token}`
      return reply.code(201).send({ url, token, expires_at: expiresAt })
    },
  )
}

/** Adds the list of pending calls and the route that decides them. */
export const toolDecisionRoutes = (app: ZodApp, context: HttpContext): void => {
  const { client } = context

  app.get(
    "/v1/sessions/:id/tools/pending",
    routeOf(
      "approvals",
      "listPendingCalls",
      "List the calls that wait for a decision, including those of descendants",
      {
        access: "read",
        params: sessionParamsSchema,
        answers: { 200: pendingToolsSchema },
      },
    ),
    async ({ params }) => {
      const { pending, ...ids } = await client.pending(params.id)
      return { ...ids, pending: pending.map((call) => ({ ...call, arguments: { ...call.arguments } })) }
    },
  )

  app.get(
    "/v1/sessions/:id/tools/:call_id/preview",
    routeOf("approvals", "getCallPreview", "Return the whole preview of a pending call of this session", {
      access: "read",
      params: callParamsSchema,
      answers: { 200: callPreviewSchema },
    }),
    async ({ params }) => await client.preview(params.id, params.call_id),
  )

  app.post(
    "/v1/sessions/:id/tools/decisions",
    routeOf(
      "approvals",
      "decideToolCalls",
      "Decide calls of this session; calls that are not listed stay pending by default",
      {
        access: "approve",
        params: sessionParamsSchema,
        body: toolDecisionsBodySchema,
        answers: { 200: decisionsAnswerSchema },
      },
    ),
    async (request) => {
      const { run_id, checkpoint_id, decisions = {}, all, unlisted } = request.body
      const sent = await client.decide({
        sessionId: request.params.id,
        runId: run_id,
        checkpointId: checkpoint_id,
        decisions,
        all,
        unlisted,
        actor: actorOf(request, context),
      })
      return decisionsAnswerOf(sent)
    },
  )
}

import {
  approvalListSchema,
  approvalsQuerySchema,
  issuedLinkSchema,
  issueLinkBodySchema,
} from "../../contracts/http/approvals.ts"
import { actorOf } from "../security/actor-of.ts"
import type { HttpContext } from "../http-options.ts"
import { routeOf, type ZodApp } from "../openapi.ts"

/** All that waits for a person, and links by which a person without a token decides. */
export const approvalRoutes = (app: ZodApp, context: HttpContext): void => {
  const { client, publicUrl } = context

  app.get(
    "/v1/approvals",
    routeOf("approvals", "List all that waits for a person, oldest first", {
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
    routeOf("approvals", "Make a link that decides a pause once, without a token", {
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

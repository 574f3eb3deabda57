import { createGrantBodySchema, grantListSchema, grantSchema } from "../../contracts/http/grants.ts"
import { emptyBodySchema, idSchema, sessionParamsSchema } from "../../contracts/http/http-ids.ts"
import { actorOf } from "../security/actor-of.ts"
import type { HttpContext } from "../http-options.ts"
import { routeOf, type ZodApp } from "../openapi.ts"

const grantParamsSchema = sessionParamsSchema.extend({ grant_id: idSchema })

/** Adds the routes that create, list and revoke the standing decisions about a session's calls. */
export const grantRoutes = (app: ZodApp, context: HttpContext): void => {
  const { client } = context
  app.post(
    "/v1/sessions/:id/grants",
    routeOf(
      "approvals",
      "createGrant",
      "Let calls of a session run without a decision, until the grant expires or is revoked",
      {
        access: "approve",
        params: sessionParamsSchema,
        body: createGrantBodySchema,
        answers: { 201: grantSchema },
      },
    ),
    async (request, reply) => {
      const { tool, arguments: patterns, expires_in_seconds: expiresInSeconds } = request.body
      const actor = actorOf(request, context)
      const grant = await client.grant({ sessionId: request.params.id, tool, patterns, expiresInSeconds, actor })
      return reply.code(201).send(grant)
    },
  )

  app.get(
    "/v1/sessions/:id/grants",
    routeOf("approvals", "listGrants", "List the grants of a session, oldest first", {
      access: "read",
      params: sessionParamsSchema,
      answers: { 200: grantListSchema },
    }),
    async ({ params }) => {
      const { items, next_cursor } = await client.grants(params.id)
      return { items: [...items], next_cursor }
    },
  )

  const revoke = {
    access: "approve",
    params: grantParamsSchema,
    answers: { 200: grantSchema },
  } as const
  app.delete(
    "/v1/sessions/:id/grants/:grant_id",
    routeOf("approvals", "revokeGrant", "Revoke a grant", revoke),
    (request) => client.revokeGrant(request.params.id, request.params.grant_id, actorOf(request, context)),
  )
  app.post(
    "/v1/sessions/:id/grants/:grant_id/revoke",
    routeOf("approvals", "revokeGrantByPost", "Revoke a grant, for clients that only send POST", {
      ...revoke,
      body: emptyBodySchema,
    }),
    (request) => client.revokeGrant(request.params.id, request.params.grant_id, actorOf(request, context)),
  )
}

import { auditListSchema, auditQuerySchema } from "../../contracts/http/audit.ts"
import type { HttpContext } from "../http-options.ts"
import { routeOf, type ZodApp } from "../openapi.ts"

/** Adds the route that lists who did what. */
export const auditRoute = (app: ZodApp, { client }: HttpContext): void => {
  app.get(
    "/v1/audit",
    routeOf("audit", "List who did what to sessions, by which way and on what, newest first", {
      access: "admin",
      querystring: auditQuerySchema,
      answers: { 200: auditListSchema },
    }),
    async ({ query: { session_id: sessionId, ...query } }) => {
      const { items, next_cursor } = await client.audit({ ...query, sessionId })
      return { items: [...items], next_cursor }
    },
  )
}

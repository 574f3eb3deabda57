import { stopAnswerSchema, stopBodySchema } from "../../contracts/http/stop.ts"
import { actorOf } from "../security/actor-of.ts"
import type { HttpContext } from "../http-options.ts"
import { routeOf, type ZodApp } from "../openapi.ts"

/** Adds the route that cancels every open session. */
export const stopRoute = (app: ZodApp, context: HttpContext): void => {
  const { client } = context
  app.post(
    "/v1/stop",
    routeOf("sessions", "Cancel every open session of the store", {
      access: "admin",
      body: stopBodySchema,
      answers: { 200: stopAnswerSchema },
    }),
    (request) => client.stopAll(actorOf(request, context)),
  )
}

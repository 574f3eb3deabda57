import type { FastifyInstance } from "fastify"

/** Returns the address of what a request created: the path of its route, with the answer's fields in place of their names in braces. */
const locationOf = (path: string, answer: Readonly<Record<string, unknown>>): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, field: string) => encodeURIComponent(String(answer[field])))

/** Adds the header `location` to the answers of routes that create something. It comes from the answer alone, so that a replayed one has it, too. */
export const addLocations = (app: FastifyInstance): void => {
  app.addHook("onSend", async (request, reply, payload) => {
    const { location } = request.routeOptions.config
    if (location !== undefined && reply.statusCode < 300 && typeof payload === "string")
      reply.header("location", locationOf(location, JSON.parse(payload)))
    return payload
  })
}

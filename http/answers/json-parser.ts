import type { FastifyInstance } from "fastify"

/** JSON and nothing else. An empty body is none: what needs one says so. */
export const addJsonParser = (app: FastifyInstance): void => {
  const parse = app.getDefaultJsonParser("error", "error")
  app.removeAllContentTypeParsers()
  app.addContentTypeParser("application/json", { parseAs: "string" }, (request, body, done) => {
    const text = String(body)
    if (text.trim() === "") done(null, undefined)
    else void parse(request, text, done)
  })
}

import { randomUUID } from "node:crypto"
import type { IncomingMessage } from "node:http"
import { fastify, type FastifyInstance } from "fastify"
import { validatorCompiler } from "fastify-type-provider-zod"
import { addErrorHandling, answerClientError } from "./answers/answer-errors.ts"
import type { HttpLimits, HttpLogger } from "./http-options.ts"

const longestParameter = 2_048
const acceptableRequestId = /^[\w.:-]{1,128}$/

/** The sender's own id where it is one that can stand in a log, else a new one. */
const requestIdOf = (request: Pick<IncomingMessage, "headers">): string => {
  const given = request.headers["x-request-id"]
  return typeof given === "string" && acceptableRequestId.test(given) ? given : randomUUID()
}

/** JSON and nothing else. An empty body is none: what needs one says so. */
const addJsonParser = (app: FastifyInstance): void => {
  const parse = app.getDefaultJsonParser("error", "error")
  app.removeAllContentTypeParsers()
  app.addContentTypeParser("application/json", { parseAs: "string" }, (request, body, done) => {
    const text = String(body)
    if (text.trim() === "") done(null, undefined)
    else void parse(request, text, done)
  })
}

/** Returns an application without routes: limits, request ids, the JSON parser, validation and the form of errors. */
export const createApp = (logger: HttpLogger, limits: HttpLimits): FastifyInstance => {
  const app = fastify({
    logger: false,
    bodyLimit: limits.bodyBytes,
    genReqId: requestIdOf,
    requestIdHeader: false,
    requestTimeout: limits.requestTimeoutMs,
    // A request that was accepted is answered, also when the server began to close meanwhile.
    return503OnClosing: false,
    forceCloseConnections: "idle",
    routerOptions: { maxParamLength: longestParameter },
    http: { maxHeaderSize: limits.headerBytes },
    clientErrorHandler: answerClientError,
    frameworkErrors: (error, request, reply) => {
      app.errorHandler(error, request, reply)
    },
  })
  addJsonParser(app)
  app.setValidatorCompiler(validatorCompiler)
  // Schemas of answers are for the document: what the client layer gives is right by its types.
  app.setSerializerCompiler(() => JSON.stringify)
  addErrorHandling(app, logger)
  return app
}

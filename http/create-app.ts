import { AdjutantError } from "../contracts/adjutant-error.ts"
import { requestProblem } from "../domain/text/json/parse-json.ts"
import { randomUUID } from "node:crypto"
import type { IncomingMessage } from "node:http"
import { fastify, type FastifyInstance } from "fastify"
import { validatorCompiler } from "fastify-type-provider-zod"
import { addErrorHandling, answerClientError } from "./answers/answer-errors.ts"
import type { HttpLimits, HttpLogger } from "./http-options.ts"

const longestParameter = 2_048
const acceptableRequestId = /^[\w.:-]{1,128}$/

/** Returns the client's own request id if it is safe to log, otherwise a new one. */
const requestIdOf = (request: Pick<IncomingMessage, "headers">): string => {
  const given = request.headers["x-request-id"]
  return typeof given === "string" && acceptableRequestId.test(given) ? given : randomUUID()
}

/** Returns the refusal of a body that is JSON, but has a field that could change what every object inherits; undefined for what is not JSON. */
const reservedName = (text: string): AdjutantError | undefined => {
  try {
    JSON.parse(text)
  } catch {
    return undefined
  }
  return new AdjutantError(
    "invalid_json",
    'the body has a field "__proto__", or a field "prototype" in a field "constructor": use another name',
  )
}

/** Accepts JSON only. An empty body counts as missing; routes that require a body reject it. */
const addJsonParser = (app: FastifyInstance): void => {
  const parse = app.getDefaultJsonParser("error", "error")
  app.removeAllContentTypeParsers()
  app.addContentTypeParser("application/json", { parseAs: "string" }, (request, body, done) => {
    const text = String(body)
    const problem = requestProblem(text)
    if (text.trim() === "") done(null, undefined)
    else if (problem !== undefined) done(new AdjutantError("invalid_json", `the body ${problem}`))
    else void parse(request, text, (error, value) => done(error === null ? null : (reservedName(text) ?? error), value))
  })
}

/** Returns an application without routes: limits, request ids, the JSON parser, validation and error answers. */
export const createApp = (logger: HttpLogger, limits: HttpLimits): FastifyInstance => {
  const app = fastify({
    logger: false,
    bodyLimit: limits.bodyBytes,
    genReqId: requestIdOf,
    requestIdHeader: false,
    requestTimeout: limits.requestTimeoutMs,
    // An accepted request is answered even if the server starts to close in the meantime.
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
  // Answer schemas only document the API: the compiler checks what the client layer returns.
  app.setSerializerCompiler(() => JSON.stringify)
  addErrorHandling(app, logger)
  return app
}

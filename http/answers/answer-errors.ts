import { randomUUID } from "node:crypto"
import type { Socket } from "node:net"
import type { FastifyInstance } from "fastify"
import type { HttpErrorBody } from "../../contracts/http/http-error.ts"
import { httpFailureOf } from "./http-failure.ts"
import type { HttpLogger } from "../http-options.ts"

/** Adds handlers that answer every error in the same shape, without internal details. */
export const addErrorHandling = (app: FastifyInstance, logger: HttpLogger): void => {
  app.setErrorHandler((error, request, reply) => {
    const { status, code, message, isBug, reason } = httpFailureOf(error)
    if (isBug)
      logger.error(
        { err: error, request_id: request.id, method: request.method, route: request.routeOptions.url },
        "a request failed",
      )
    const body: HttpErrorBody = { error: message, code, request_id: request.id, reason }
    return reply.code(status).type("application/json; charset=utf-8").serializer(JSON.stringify).send(body)
  })
  app.setNotFoundHandler((request, reply) => {
    const body: HttpErrorBody = {
      error: "route not found; see /openapi.json for all routes",
      code: "route_not_found",
      request_id: request.id,
    }
    return reply.code(404).send(body)
  })
}

const statusLines: Readonly<Record<string, readonly [string, HttpErrorBody["code"], string]>> = {
  HPE_HEADER_OVERFLOW: ["431 Request Header Fields Too Large", "payload_too_large", "the headers are too large"],
  ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", "invalid_argument", "the request took too long to arrive"],
}

/** Answers a connection whose bytes could not be parsed as a request, in the same shape as other errors. */
export const answerClientError = (error: Error & { readonly code?: string }, socket: Socket): void => {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy()
    return
  }
  const [line, code, text] = statusLines[error.code ?? ""] ?? [
    "400 Bad Request",
    "invalid_argument",
    "the request is malformed",
  ]
  const body: HttpErrorBody = { error: text, code, request_id: randomUUID() }
  const json = JSON.stringify(body)
  socket.end(
    `HTTP/1.1 ${line}\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(json)}\r\nconnection: close\r\n\r\n${json}`,
  )
}

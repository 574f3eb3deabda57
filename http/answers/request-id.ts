import { randomUUID } from "node:crypto"
import type { IncomingMessage } from "node:http"

const acceptable = /^[\w.:-]{1,128}$/

/** The sender's own id where it is one that can stand in a log, else a new one. */
export const requestIdOf = (request: Pick<IncomingMessage, "headers">): string => {
  const given = request.headers["x-request-id"]
  return typeof given === "string" && acceptable.test(given) ? given : randomUUID()
}

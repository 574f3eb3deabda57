import { createHash } from "node:crypto"
import { setTimeout as delay } from "node:timers/promises"
import type { FastifyInstance, FastifyRequest } from "fastify"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { idempotencyLeaseMs } from "../../domain/caller/idempotency-lease.ts"
import { dayMs } from "../../domain/text/duration.ts"
import type { IdempotencyKey } from "../../store/store.ts"
import { digestId, messageIdOf } from "./digest-id.ts"
import type { HttpContext } from "../http-options.ts"

const keepMs = dayMs
const idempotencyPollMs = 50

const keyPattern = /^[\u0021-\u007e]{1,200}$/

const requestKey = (request: FastifyRequest): string | undefined => {
  const key = request.headers["idempotency-key"]
  if (key === undefined || request.caller === null) return undefined
  if (typeof key !== "string" || !keyPattern.test(key))
    throw new AdjutantError("invalid_argument", "header.idempotency-key: must be 1 to 200 visible characters")
  return key
}

const fingerprintOf = ({ method, url, body }: FastifyRequest): string =>
  createHash("sha256")
    .update(JSON.stringify([method, url, body ?? null]))
    .digest("hex")

const mutating: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH", "DELETE"])

/** Returns a session id that is the same for every attempt of one request; undefined if the client sent no key. */
export const repeatableSessionId = ({ attempt }: FastifyRequest): string | undefined =>
  attempt === null ? undefined : digestId(attempt, 16)

/** Returns a message id that is the same for every attempt of one request; empty if the client sent no key. */
export const repeatableMessage = ({ attempt }: FastifyRequest): { readonly messageId?: string } =>
  attempt === null ? {} : { messageId: messageIdOf(attempt) }

/** Gives up the key of a request that was not answered with success: one that was refused had no effect, one that failed may have had. */
export const giveBackKey = (keys: HttpContext["store"]["idempotencyKeys"], key: IdempotencyKey, status: number) =>
  status >= 500 ? keys.suspend(key) : keys.release(key)

/**
 * Adds support for `Idempotency-Key`. A repeated request with the same key gets the stored answer, also after a restart and from another server
 * of the same store. A different request with the same key gets 409. A request that was refused releases its key; one that failed may have taken effect,
 * and a repetition is another attempt of it.
 */
export const addIdempotency = (app: FastifyInstance, { store, limits }: HttpContext): void => {
  const { idempotencyKeys } = store
  const claimed = new WeakMap<FastifyRequest, IdempotencyKey>()

  app.addHook("preHandler", async (request, reply) => {
    const isKept = mutating.has(request.method) && request.routeOptions.config.ignoresIdempotencyKey !== true
    const key = isKept ? requestKey(request) : undefined
    if (key === undefined || request.caller === null) return
    const fingerprint = fingerprintOf(request)
    const claim = { scope: `http ${request.caller.name}`, key, fingerprint, keepMs, leaseMs: idempotencyLeaseMs }
    const until = Date.now() + limits.idempotencyWaitMs
    for (;;) {
      const state = await idempotencyKeys.begin(claim)
      if (state.kind === "begun") {
        request.attempt = JSON.stringify([claim.scope, key, claim.fingerprint, state.attempt])
        claimed.set(request, claim)
        return
      }
      if (state.kind === "answered") {
        reply.header("idempotent-replayed", "true").code(state.status)
        return state.body === "" ? reply.send() : reply.type("application/json; charset=utf-8").send(state.body)
      }
      if (state.kind === "conflict")
        throw new AdjutantError(
          "idempotency_conflict",
          "this idempotency-key was used for another request; choose a new one",
        )
      if (Date.now() >= until)
        throw new AdjutantError(
          "idempotency_conflict",
          "a request with this idempotency-key is still in progress; try again",
        )
      await delay(idempotencyPollMs)
    }
  })

  app.addHook("onSend", async (request, reply, payload) => {
    const key = claimed.get(request)
    if (key === undefined) return payload
    claimed.delete(request)
    if (reply.statusCode >= 300) await giveBackKey(idempotencyKeys, key, reply.statusCode)
    else
      await idempotencyKeys.finish(key, {
        status: reply.statusCode,
        body: typeof payload === "string" ? payload : "",
      })
    return payload
  })
}

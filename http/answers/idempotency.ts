import { createHash } from "node:crypto"
import { setTimeout as delay } from "node:timers/promises"
import type { FastifyInstance, FastifyRequest } from "fastify"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { IdempotencyKey } from "../../store/store.ts"
import type { HttpContext } from "../http-options.ts"

const keepMs = 86_400_000
const leaseMs = 60_000
const lookAgainMs = 50

const keyPattern = /^[\u0021-\u007e]{1,200}$/

const keyOf = (request: FastifyRequest): string | undefined => {
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

const isMutating = (method: string): boolean => method === "POST" || method === "DELETE"

/** `length` characters `[a-z0-9]` that are the same for every try of one request; undefined where the sender gave no key. */
export const repeatableId = (request: FastifyRequest, length: number): string | undefined => {
  if (request.attempt === null) return undefined
  const digest = createHash("sha256").update(request.attempt).digest("hex")
  return BigInt(`0x${digest}`).toString(36).padStart(length, "0").slice(-length)
}

/**
 * The same key with the same request replays its answer, also after a restart and at another server of the store; with another request it is
 * 409. What was refused leaves the key free.
 */
export const addIdempotency = (app: FastifyInstance, { store, limits }: HttpContext): void => {
  const { idempotencyKeys } = store
  const claimed = new WeakMap<FastifyRequest, IdempotencyKey>()

  app.addHook("preHandler", async (request, reply) => {
    const isKept = isMutating(request.method) && request.routeOptions.config.ignoresIdempotencyKey !== true
    const key = isKept ? keyOf(request) : undefined
    if (key === undefined || request.caller === null) return
    const claim = { scope: `http ${request.caller.name}`, key, fingerprint: fingerprintOf(request), keepMs, leaseMs }
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
        return reply.type("application/json; charset=utf-8").send(state.body === "" ? undefined : state.body)
      }
      if (state.kind === "conflict")
        throw new AdjutantError(
          "idempotency_conflict",
          "this idempotency-key was used for another request: choose a new one",
        )
      if (Date.now() >= until)
        throw new AdjutantError(
          "idempotency_conflict",
          "a request with this idempotency-key is still being answered: try again",
        )
      await delay(lookAgainMs)
    }
  })

  app.addHook("onSend", async (request, reply, payload) => {
    const key = claimed.get(request)
    if (key === undefined) return payload
    claimed.delete(request)
    if (reply.statusCode >= 300) await idempotencyKeys.release(key)
    else
      await idempotencyKeys.finish(key, {
        status: reply.statusCode,
        body: typeof payload === "string" ? payload : "",
      })
    return payload
  })
}

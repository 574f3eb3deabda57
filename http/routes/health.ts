import { setTimeout as delay } from "node:timers/promises"
import type { FastifyInstance } from "fastify"
import type { HttpContext } from "../http-options.ts"

const hidden = { config: { access: "public" }, schema: { hide: true } } as const

const settledIn = async <T>(timeoutMs: number, work: Promise<T>): Promise<T | undefined> => {
  const timer = new AbortController()
  try {
    return await Promise.race([
      work.catch(() => undefined),
      delay(timeoutMs, undefined, { signal: timer.signal }).catch(() => undefined),
    ])
  } finally {
    timer.abort()
  }
}

/** `/healthz`: the process answers. `/readyz`: the store and Temporal do, too; whether a worker runs is told, and is no condition. */
export const healthRoutes = (app: FastifyInstance, { client, store, limits, closing }: HttpContext): void => {
  app.get("/healthz", hidden, async () => ({ status: "ok" }))
  app.get("/readyz", hidden, async (_request, reply) => {
    const [rows, worker] = await Promise.all([
      settledIn(limits.readyTimeoutMs, store.sessions.list({ limit: 1 })),
      settledIn(limits.readyTimeoutMs, client.hasWorker()),
    ])
    const parts = { store: rows !== undefined, temporal: worker !== undefined, worker: worker === true }
    const isReady = parts.store && parts.temporal && !closing.aborted
    return reply.code(isReady ? 200 : 503).send({ status: isReady ? "ready" : "not ready", ...parts })
  })
}

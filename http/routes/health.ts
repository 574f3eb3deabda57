import { setTimeout as delay } from "node:timers/promises"
import type { FastifyInstance } from "fastify"
import type { HttpContext } from "../http-options.ts"

const hidden = { config: { access: "public" }, schema: { hide: true } } as const

/** Returns the result of work that ends in time; undefined if it fails or takes longer. */
export const settledIn = async <T>(timeoutMs: number, work: Promise<T>): Promise<T | undefined> => {
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

/**
 * Adds `/healthz` and `/readyz`. `/healthz` answers while the process runs. `/readyz` requires that the store takes writes, and that Temporal answers and
 * is the one that the store belongs to. It also reports whether a worker runs and whether sessions are missing in Temporal, which does not change
 * the status.
 */
export const healthRoutes = (app: FastifyInstance, { client, store, limits, closing }: HttpContext): void => {
  app.get("/healthz", hidden, async () => ({ status: "ok" }))
  app.get("/readyz", hidden, async (_request, reply) => {
    const [isWritable, engine, worker] = await Promise.all([
      settledIn(
        limits.readyTimeoutMs,
        store.probe().then(() => true),
      ),
      settledIn(limits.readyTimeoutMs, client.engine.health()),
      settledIn(limits.readyTimeoutMs, client.hasWorker()),
    ])
    const parts = {
      store: isWritable === true,
      temporal: engine !== undefined,
      engine: engine === undefined ? "unknown" : engine.isSame ? "same" : "other",
      worker: worker === true,
      missing_sessions: engine?.missing ?? 0,
      reconciler: engine?.isStopped === true ? "stopped" : "ok",
    }
    const isReady = parts.store && parts.engine === "same" && !closing.aborted
    return reply.code(isReady ? 200 : 503).send({ status: isReady ? "ready" : "not ready", ...parts })
  })
}

import type { FastifyInstance } from "fastify"
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from "prom-client"
import type { Store } from "../store/store.ts"
import { createOpenStreams, type OpenStreams } from "./security/open-streams.ts"
import type { HttpContext } from "./http-options.ts"

export interface HttpMetrics {
  readonly streams: OpenStreams
}

const seconds = [0.005, 0.02, 0.1, 0.5, 2, 10]

/** Gauges over the store, read when the metrics are requested. */
const storeMetrics = (store: Pick<Store, "sessions" | "pauses" | "dailyUsage">): readonly Gauge[] => [
  new Gauge({
    name: "adjutant_sessions",
    help: "Sessions that are not final, by status.",
    labelNames: ["status"],
    registers: [],
    collect: async function () {
      const counts = new Map(["pending", "running", "paused"].map((status) => [status, 0]))
      for (const { status } of await store.sessions.listOpen()) counts.set(status, (counts.get(status) ?? 0) + 1)
      for (const [status, count] of counts) this.set({ status }, count)
    },
  }),
  new Gauge({
    name: "adjutant_open_pauses",
    help: "Pauses that are waiting for a person.",
    registers: [],
    collect: async function () {
      this.set((await store.pauses.listOpen()).length)
    },
  }),
  new Gauge({
    name: "adjutant_daily_cost_usd",
    help: "US dollars that count against limits.usdPerDay today (UTC): used, and reserved by calls that run now.",
    labelNames: ["state"],
    registers: [],
    collect: async function () {
      const { used, reserved } = await store.dailyUsage.today()
      this.set({ state: "used" }, used.microUsd / 1e6)
      this.set({ state: "reserved" }, reserved.microUsd / 1e6)
    },
  }),
  new Gauge({
    name: "adjutant_daily_tokens",
    help: "Tokens that count against limits.tokensPerDay today (UTC): used, and reserved by calls that run now.",
    labelNames: ["state"],
    registers: [],
    collect: async function () {
      const { used, reserved } = await store.dailyUsage.today()
      this.set({ state: "used" }, used.tokens)
      this.set({ state: "reserved" }, reserved.tokens)
    },
  }),
]

/**
 * Returns what adds the metrics of the process, the first time that it is called: the measurement of the event loop's delay wakes an idle process 100
 * times a second, so that it starts with the first reader.
 */
const processMetrics = (register: Registry): (() => void) => {
  let isObserved = false
  return () => {
    if (!isObserved) collectDefaultMetrics({ register, prefix: "adjutant_" })
    isObserved = true
  }
}

/** Counts requests by route and serves `/metrics`, with the numbers of open sessions and pauses, and the usage of the day. */
export const addMetrics = (app: FastifyInstance, { store, limits }: HttpContext): HttpMetrics => {
  const registry = new Registry()
  const registers = [registry]
  const observeProcess = processMetrics(registry)
  const labelNames = ["method", "route", "status"] as const
  const requests = new Counter({
    name: "adjutant_http_requests_total",
    help: "Requests answered.",
    labelNames,
    registers,
  })
  const duration = new Histogram({
    name: "adjutant_http_request_seconds",
    help: "Time until the answer was sent, in seconds, without event streams.",
    labelNames: ["method", "route"],
    buckets: seconds,
    registers,
  })
  const streams = new Gauge({ name: "adjutant_http_event_streams", help: "Event streams that are open.", registers })
  for (const metric of storeMetrics(store)) registry.registerMetric(metric)

  app.addHook("onResponse", async (request, reply) => {
    const { method } = request
    const route = request.is404 ? "none" : (request.routeOptions.url ?? "none")
    requests.inc({ method, route, status: String(reply.statusCode) })
    duration.observe({ method, route }, reply.elapsedTime / 1_000)
  })
  app.get("/metrics", { config: { access: "read" }, schema: { hide: true } }, async (_request, reply) => {
    reply.type(registry.contentType)
    observeProcess()
    return await registry.metrics()
  })
  return {
    streams: createOpenStreams(limits, (total) => streams.set(total)),
  }
}

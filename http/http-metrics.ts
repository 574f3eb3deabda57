import type { FastifyInstance } from "fastify"
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from "prom-client"
import type { Store } from "../store/store.ts"
import { createOpenStreams, type HttpMetrics } from "./security/open-streams.ts"
import type { HttpContext } from "./http-options.ts"
import { settledIn } from "./routes/health.ts"

const seconds = [0.005, 0.02, 0.1, 0.5, 2, 10]

/** The metrics that people set alarms on, besides the cost of the day. */
const alarmMetrics = ({ store, client, loaded, now }: HttpContext): readonly Gauge[] => [
  new Gauge({
    name: "adjutant_oldest_pause_seconds",
    help: "How long the oldest open pause has been waiting for a person; 0 if there is none.",
    registers: [],
    collect: async function () {
      const opened = (await store.pauses.listOpen()).map(({ openedAt }) => Date.parse(openedAt))
      this.set(opened.length === 0 ? 0 : Math.max(0, now() - Math.min(...opened)) / 1_000)
    },
  }),
  new Gauge({
    name: "adjutant_blocked_sessions",
    help: "Open sessions that something other than a pause keeps from continuing, by what it is.",
    labelNames: ["type"],
    registers: [],
    collect: async function () {
      const counts = new Map(["provider_unavailable", "machine"].map((type) => [type, 0]))
      for (const { blockedBy } of await store.sessions.listOpen())
        if (blockedBy !== null) counts.set(blockedBy.type, (counts.get(blockedBy.type) ?? 0) + 1)
      this.reset()
      for (const [type, count] of counts) this.set({ type }, count)
    },
  }),
  new Gauge({
    name: "adjutant_failed_deliveries",
    help: "Deliveries that were given up, and neither retried nor dismissed; at most 1000 are counted.",
    registers: [],
    collect: async function () {
      this.set((await client.deliveries.list({ status: "failed", limit: 1_000 })).items.length)
    },
  }),
  new Gauge({
    name: "adjutant_daily_limit_usd",
    help: "limits.usdPerDay; 0 if there is none.",
    registers: [],
    collect: function () {
      this.set(loaded.config.limits.usdPerDay ?? 0)
    },
  }),
]

/** The metrics of Temporal, of its worker and of the reconciler. */
const engineMetrics = ({ client, limits }: HttpContext): readonly Gauge[] => [
  new Gauge({
    name: "adjutant_reconciler_stopped",
    help: "1 if so many sessions are missing in Temporal that the reconciler ends none of them.",
    registers: [],
    collect: async function () {
      const health = await settledIn(limits.readyTimeoutMs, client.engine.health())
      this.set(health?.isStopped === true ? 1 : 0)
    },
  }),
  new Gauge({
    name: "adjutant_temporal_up",
    help: "1 if Temporal answers.",
    registers: [],
    collect: async function () {
      this.set((await settledIn(limits.readyTimeoutMs, client.engine.health())) === undefined ? 0 : 1)
    },
  }),
  new Gauge({
    name: "adjutant_worker_up",
    help: "1 if a worker takes the tasks of this store.",
    registers: [],
    collect: async function () {
      this.set((await settledIn(limits.readyTimeoutMs, client.hasWorker())) === true ? 1 : 0)
    },
  }),
]

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
 * Returns a function that adds the metrics of the process when it is first called. The measurement of the event loop's delay wakes an idle process 100
 * times a second, so it begins only when somebody reads the metrics.
 */
const processMetrics = (register: Registry): (() => void) => {
  let isObserved = false
  return () => {
    if (!isObserved) collectDefaultMetrics({ register, prefix: "adjutant_" })
    isObserved = true
  }
}

/** Counts requests by route and serves `/metrics`, with the numbers of open sessions and pauses, and the usage of the day. */
export const addMetrics = (app: FastifyInstance, context: HttpContext): HttpMetrics => {
  const { store, limits } = context
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
  for (const metric of [...storeMetrics(store), ...alarmMetrics(context), ...engineMetrics(context)])
    registry.registerMetric(metric)

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

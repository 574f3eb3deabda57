import { spawn } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { createInterface } from "node:readline"
import { setTimeout as delay } from "node:timers/promises"
import { Client, Connection } from "@temporalio/client"
import { createClient } from "../../client/create-client.ts"
import { configSchema } from "../../contracts/config/config.ts"
import { createHttpServer } from "../../http/create-http-server.ts"
import { openStore } from "../../store/open-store.ts"
import { startBroadcaster } from "../bare/bare-broadcaster.ts"
import type { Benchmark } from "../benchmark.ts"
import { measurePairs } from "../figures/measure-pairs.ts"
import { ratioFigure } from "../figures/ratio-figure.ts"
import { shown } from "../figures/results-table.ts"
import { quantile } from "../figures/statistics.ts"

const readers = 500
const eventsPerSecond = 50
const events = 250
const text = "x".repeat(80)

const nowMs = (): number => performance.timeOrigin + performance.now()

/** Starts a process with the readers, sends events at the rate, and returns the p95 of the last reader's lag in milliseconds. */
const lagOf = async (url: string, send: (event: Readonly<Record<string, unknown>>) => void): Promise<number> => {
  const program = path.join(import.meta.dirname, "../rig/read-streams.ts")
  const child = spawn(process.execPath, [program, url, String(readers), String(events)], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  if ((await lines.next()).value !== "open") throw new Error("the readers could not open their streams")
  const start = nowMs()
  for (let seq = 1; seq <= events; seq += 1) {
    await delay(Math.max(0, start + (seq * 1_000) / eventsPerSecond - nowMs()))
    send({ seq, sent_at: nowMs(), text })
  }
  const lags: number[] = JSON.parse(String((await lines.next()).value))
  return quantile(lags, 0.95)
}

const bare = async (): Promise<number> => {
  const broadcaster = await startBroadcaster()
  try {
    return await lagOf(broadcaster.url, broadcaster.send)
  } finally {
    broadcaster.close()
  }
}

/** Measures the product: events are written to the store's log and read from there. */
const ours = async (): Promise<number> => {
  const dataDir = await mkdtemp(path.join(tmpdir(), "adjutant-bench-"))
  const store = await openStore({ url: "sqlite:", dataDir })
  const sessionId = "bench1"
  await store.sessions.create({
    id: sessionId,
    sessionKey: `agent:general:main:${sessionId}`,
    title: null,
    agent: "general",
    model: "main",
    parentId: null,
    rootId: sessionId,
    depth: 0,
    cwd: dataDir,
    label: null,
    metadata: {},
  })
  const config = configSchema.parse({})
  const loaded = { config, configPath: null, projectRoot: dataDir, dataDir, models: {}, knownModels: {} }
  // Readers do not use Temporal, so this connection is never opened.
  const temporal = new Client({ connection: Connection.lazy() })
  const server = await createHttpServer({
    client: createClient({ temporal, store, loaded, env: {}, hasSearchAttributes: false, taskQueue: "none" }),
    store,
    loaded,
    env: {},
    logger: { warn: () => undefined, error: (details) => console.error(details) },
    localToken: "none",
    port: 0,
  })
  try {
    const url = `${await server.listen()}/v1/sessions/${sessionId}/events`
    return await lagOf(
      url,
      (data) => void store.events.append(sessionId, [{ type: "text-delta", runId: "run_1", data }]),
    )
  } finally {
    await server.close()
    await store.close()
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** Measures the lag of the slowest of many readers of one session. */
export const sseReaders: Benchmark = {
  name: "b7",
  title: `${readers} readers of one session's event stream at ${eventsPerSecond} events/s`,
  async measure(context) {
    const measured = await measurePairs({ subject: ours, baseline: bare }, context.pairs(5), (subject, baseline) =>
      context.log(`${shown(subject)} ms against ${shown(baseline)} ms`),
    )
    const labels = {
      label: "last reader's lag, p95",
      subject: "event log and HTTP server",
      baseline: "bare Node broadcaster",
      unit: "ms",
      goal: { kind: "at-most", value: 2 },
    } as const
    return { figures: [ratioFigure(labels, measured)] }
  },
}

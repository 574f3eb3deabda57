import { rm, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { z } from "zod"
import { startAdjutant } from "../../rig/adjutant-process.ts"
import type { Benchmark, BenchContext } from "../../benchmark.ts"
import { openBareWorker } from "../../rig/bare-worker.ts"
import { benchFolder } from "../../rig/bench-agent.ts"
import { processorSeconds } from "../../figures/processor-time.ts"
import { shown } from "../../figures/results-table.ts"
import { plainEnvironment, serverRecordOf, startTunedServer } from "../../rig/tuned-server.ts"

const pausedSessions = 100
/** Sessions settle, and the engine ends what their starts left to do, before the time is taken. */
const settleMs = 45_000
const idleMs = 120_000

const script = "turns:\n  - reply: { tool_calls: [{ name: Write, arguments: { file_path: a.txt, content: a } }] }\n"

const created = z.object({ id: z.string() })
const sessionSchema = z.object({ status: z.string() })

const token = "token-of-a-measurement"
const authorization = `Bearer ${token}`

const post = async (url: string, body: unknown): Promise<unknown> => {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", authorization },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`)
  return response.json()
}

/** Starts a session and waits until its call needs approval. */
const startPaused = async (api: string): Promise<void> => {
  const { id } = created.parse(await post(`${api}/sessions`, { title: "idle" }))
  await post(`${api}/sessions/${id}/messages`, { message: "Write a file." })
  for (;;) {
    const session = sessionSchema.parse(
      await (await fetch(`${api}/sessions/${id}`, { headers: { authorization } })).json(),
    )
    if (session.status === "paused") return
    if (session.status === "failed" || session.status === "completed") throw new Error(`session is ${session.status}`)
    await delay(50)
  }
}

interface Shares {
  readonly dev: number
  readonly keeper: number
  readonly engine: number
}

/** Returns the share of one core that each process uses while nothing happens, in percent, once everything has settled. */
const idleShares = async (pids: readonly number[]): Promise<readonly number[]> => {
  await delay(settleMs)
  const before = pids.map(processorSeconds)
  await delay(idleMs)
  return pids.map((pid, index) => ((processorSeconds(pid) - (before[index] ?? 0)) / (idleMs / 1_000)) * 100)
}

const measureOnce = async (context: BenchContext): Promise<Shares> => {
  const { cwd, configPath, dataDir } = await benchFolder()
  const folder = dirname(dataDir)
  await writeFile(join(folder, "script.yaml"), script)
  await writeFile(configPath, JSON.stringify({ models: { main: { provider: "scripted", script: "script.yaml" } } }))
  const env = { ...plainEnvironment(folder), ADJUTANT_SERVER_LINGER_MS: "0", ADJUTANT_API_TOKEN: token }
  const dev = startAdjutant({ args: ["--config", configPath, "--data-dir", dataDir, "dev", "--port", "0"], cwd, env })
  try {
    await dev.said("worker ready")
    const api = `${await listeningUrl(dev)}/v1`
    for (let started = 0; started < pausedSessions; started += 10) {
      await Promise.all(Array.from({ length: 10 }, () => startPaused(api)))
    }
    const record = serverRecordOf(dataDir)
    const [own = 0, keeper = 0, engine = 0] = await idleShares([dev.pid, record.guard?.pid ?? 0, record.pid])
    context.log(`dev ${shown(own)} %, keeper ${shown(keeper)} %, engine ${shown(engine)} %`)
    return { dev: own, keeper, engine }
  } finally {
    dev.kill("SIGTERM")
    await dev.ended
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
}

const listeningUrl = async (dev: ReturnType<typeof startAdjutant>): Promise<string> => {
  await dev.said("listening on ")
  const url = /listening on (http:\S+)/.exec(dev.stderr())?.[1]
  if (url === undefined) throw new Error("adjutant dev did not print its address")
  return url
}

/** Returns the share of one core that a worker without workflows and an empty server use, in percent: what an idle `adjutant dev` cannot avoid. */
const measureBare = async (context: BenchContext): Promise<number> => {
  const server = await startTunedServer(context.log)
  try {
    const bare = await openBareWorker(server)
    try {
      const [worker = 0, engine = 0] = await idleShares([process.pid, server.pid])
      const share = worker + engine
      context.log(`empty server and a worker ${shown(share)} %`)
      return share
    } finally {
      await bare.close()
    }
  } finally {
    await server.stop()
  }
}

/** What a machine pays for an `adjutant dev` that nobody uses. */
export const idleDev: Benchmark = {
  name: "b16",
  title: "processor time of an idle `adjutant dev`, its keeper and its engine, as a share of one core",
  async measure(context) {
    // The program is there, and what is kept between starts is made.
    await context.server()
    const all: Shares[] = []
    const bare: number[] = []
    for (let round = 0; round < context.pairs(1); round += 1) {
      all.push(await measureOnce(context))
      bare.push(await measureBare(context))
    }
    const side = (label: keyof Shares) => ({ label, unit: "%", values: all.map((shares) => shares[label]) })
    return {
      figures: [
        {
          label: `${pausedSessions} paused sessions`,
          unit: "%",
          values: all.map(({ dev, keeper, engine }) => dev + keeper + engine),
          goal: { kind: "at-most", value: 1 },
          sides: [side("dev"), side("keeper"), side("engine")],
        },
        { label: "an empty Temporal server with a worker that has nothing to do", unit: "%", values: bare },
      ],
    }
  },
}

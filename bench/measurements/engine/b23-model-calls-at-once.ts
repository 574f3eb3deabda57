import { once } from "node:events"
import { createInterface } from "node:readline"
import { setInterval as ticks } from "node:timers/promises"
import type { Benchmark, BenchContext, Figure, Goal } from "../../benchmark.ts"
import { elapsedMs } from "../../figures/elapsed.ts"
import { processorSeconds } from "../../figures/processor-time.ts"
import { shown } from "../../figures/results-table.ts"
import { residentBytes } from "../../figures/session-bytes.ts"
import { type BenchAgent, openBenchAgent } from "../../rig/bench-agent.ts"
import { prompts } from "../../rig/bench-model.ts"
import { startWorkerProcess } from "../../rig/start-worker-process.ts"

interface Load {
  readonly sessions: number
  readonly callSeconds: number
  readonly stepsEach: number
}

const loads: readonly Load[] = [
  // Sessions are accepted one after another, which takes longer than one model call.
  { sessions: 1_000, callSeconds: 20, stepsEach: 5 },
  // A worker that took at most 100 activities at a time left 60 of these without a call.
  { sessions: 160, callSeconds: 45, stepsEach: 2 },
]
const sampleEveryMs = 500

interface Measured {
  readonly inFlight: number
  readonly megabytes: number
  readonly lost: number
  readonly cores: number
}

/** Samples the memory of a process until the signal aborts. Returns the most that it took, in bytes. */
const mostMemory = async (pid: number, signal: AbortSignal): Promise<number> => {
  let most = 0
  try {
    for await (const _ of ticks(sampleEveryMs, undefined, { signal })) most = Math.max(most, residentBytes(pid))
  } catch (error) {
    if (!signal.aborted) throw error
  }
  return most
}

const runAll = async (agent: BenchAgent, { sessions, stepsEach }: Load): Promise<void> => {
  const started = Array.from({ length: sessions }, () =>
    agent.start({ prompt: prompts.call, max_steps: stepsEach }).then((id) => agent.ended(id)),
  )
  await Promise.all(started)
}

const measureOnce = async (context: BenchContext, load: Load): Promise<Measured> => {
  const { address, hasSearchAttributes } = await context.server()
  const agent = await openBenchAgent({ address, hasSearchAttributes, worker: false })
  const worker = await startWorkerProcess(address, agent.dataDir, `slow:${load.callSeconds * 1_000}`)
  try {
    const { pid, stdout } = worker
    if (pid === undefined || stdout === null) throw new Error("the worker has no process")
    let [inFlight, lost] = [0, 0]
    createInterface(stdout).on("line", (line) => {
      if (line.startsWith("calling ")) inFlight = Math.max(inFlight, Number(line.slice("calling ".length)))
      if (line === "repeated") lost += 1
    })
    const over = new AbortController()
    const memory = mostMemory(pid, over.signal)
    const before = processorSeconds(pid)
    const tookMs = await elapsedMs(() => runAll(agent, load)).finally(() => over.abort())
    const cores = ((processorSeconds(pid) - before) / tookMs) * 1_000
    return { inFlight, megabytes: (await memory) / 1_000_000, lost, cores }
  } finally {
    const ended = once(worker, "exit")
    worker.kill("SIGKILL")
    await ended
    await agent.close()
  }
}

const figuresOf = async (context: BenchContext, load: Load): Promise<readonly Figure[]> => {
  const rounds: Measured[] = []
  for (let round = 0; round < context.pairs(1); round += 1) {
    const measured = await measureOnce(context, load)
    rounds.push(measured)
    const { inFlight, megabytes, lost, cores } = measured
    context.log(`${inFlight} calls at once, ${shown(megabytes)} MB, ${lost} repeated, ${shown(cores)} cores`)
  }
  const what = `${load.sessions} sessions, calls of ${load.callSeconds} s`
  const figure = (label: string, unit: string, key: keyof Measured, goal: Goal): Figure => ({
    label: `${what}: ${label}`,
    unit,
    values: rounds.map((round) => round[key]),
    goal,
  })
  return [
    figure("model calls at once", "calls", "inFlight", { kind: "at-least", value: load.sessions }),
    figure("most memory of the worker", "MB", "megabytes", { kind: "at-most", value: 900 }),
    figure("calls repeated after a lost heartbeat", "calls", "lost", { kind: "at-most", value: 0 }),
    figure("processor time of the worker", "cores", "cores", { kind: "at-most", value: 1 }),
  ]
}

/** Measures what one worker needs for many sessions whose model calls take long. */
export const modelCallsAtOnce: Benchmark = {
  name: "b23",
  title: "one worker with many sessions in long model calls",
  async measure(context) {
    const figures: Figure[] = []
    for (const load of loads) figures.push(...(await figuresOf(context, load)))
    return { figures }
  },
}

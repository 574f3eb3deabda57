import { once } from "node:events"
import { createInterface } from "node:readline"
import { setInterval as ticks } from "node:timers/promises"
import type { Benchmark, BenchContext } from "../../benchmark.ts"
import { elapsedMs } from "../../figures/elapsed.ts"
import { processorSeconds } from "../../figures/processor-time.ts"
import { shown } from "../../figures/results-table.ts"
import { residentBytes } from "../../figures/session-bytes.ts"
import { type BenchAgent, openBenchAgent } from "../../rig/bench-agent.ts"
import { prompts } from "../../rig/bench-model.ts"
import { startWorkerProcess } from "../../rig/start-worker-process.ts"

const sessions = 1_000
/** Sessions are accepted one after another, which takes longer than one model call. */
const stepsEach = 5
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

const runAll = async (agent: BenchAgent): Promise<void> => {
  const started = Array.from({ length: sessions }, () =>
    agent.start({ prompt: prompts.call, max_steps: stepsEach }).then((id) => agent.ended(id)),
  )
  await Promise.all(started)
}

const measureOnce = async (context: BenchContext): Promise<Measured> => {
  const { address, hasSearchAttributes } = await context.server()
  const agent = await openBenchAgent({ address, hasSearchAttributes, worker: false })
  const worker = await startWorkerProcess(address, agent.dataDir, "slow")
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
    const tookMs = await elapsedMs(() => runAll(agent)).finally(() => over.abort())
    const cores = ((processorSeconds(pid) - before) / tookMs) * 1_000
    return { inFlight, megabytes: (await memory) / 1_000_000, lost, cores }
  } finally {
    const ended = once(worker, "exit")
    worker.kill("SIGKILL")
    await ended
    await agent.close()
  }
}

/** Measures what one worker needs for many sessions whose model calls take long. */
export const modelCallsAtOnce: Benchmark = {
  name: "b23",
  title: `one worker, ${sessions} sessions whose model calls take 20 s`,
  async measure(context) {
    const rounds: Measured[] = []
    for (let round = 0; round < context.pairs(1); round += 1) {
      const measured = await measureOnce(context)
      rounds.push(measured)
      const { inFlight, megabytes, lost, cores } = measured
      context.log(`${inFlight} calls at once, ${shown(megabytes)} MB, ${lost} repeated, ${shown(cores)} cores`)
    }
    const valuesOf = (key: keyof Measured): readonly number[] => rounds.map((round) => round[key])
    const atMost = (value: number) => ({ kind: "at-most" as const, value })
    return {
      figures: [
        {
          label: "model calls at once",
          unit: "calls",
          values: valuesOf("inFlight"),
          goal: { kind: "at-least", value: sessions },
        },
        { label: "most memory of the worker", unit: "MB", values: valuesOf("megabytes"), goal: atMost(900) },
        { label: "calls repeated after a lost heartbeat", unit: "calls", values: valuesOf("lost"), goal: atMost(0) },
        { label: "processor time of the worker", unit: "cores", values: valuesOf("cores"), goal: atMost(1) },
      ],
    }
  },
}

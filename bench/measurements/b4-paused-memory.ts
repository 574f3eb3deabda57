import { once } from "node:events"
import { type BenchAgent, openBenchAgent } from "../rig/bench-agent.ts"
import { prompts } from "../rig/bench-model.ts"
import type { Benchmark, BenchContext } from "../benchmark.ts"
import { startWorkerProcess } from "../rig/start-worker-process.ts"
import { residentBytes } from "../figures/session-bytes.ts"
import { shown } from "../figures/results-table.ts"

const sessions = 2_000
const concurrentSessions = 50
const cachedWorkflows = 50

/** Runs all sessions, some of them at a time. */
const runAll = async (one: () => Promise<void>): Promise<void> => {
  let left = sessions
  await Promise.all(
    Array.from({ length: concurrentSessions }, async () => {
      for (; left > 0;) {
        left -= 1
        await one()
      }
    }),
  )
}

const intoPause = async (agent: BenchAgent): Promise<void> => {
  const paused = await agent.client.wait(await agent.start({ prompt: prompts.act, auto_approve: false }))
  if (paused?.outcome !== "paused") throw new Error(`the session did not pause: it is ${paused?.outcome}`)
}

/** Runs the same tool call, approved in advance: the same work, with no paused session at the end. */
const toTheEnd = async (agent: BenchAgent): Promise<void> =>
  agent.ended(await agent.start({ prompt: prompts.act, auto_approve: true }))

/** Returns the resident memory of a new worker after the sessions and a garbage collection, in bytes. */
const residentAfter = async (context: BenchContext, one: (agent: BenchAgent) => Promise<void>): Promise<number> => {
  const { address, hasSearchAttributes } = await context.server()
  const agent = await openBenchAgent({ address, hasSearchAttributes, worker: false })
  const worker = await startWorkerProcess(address, agent.dataDir, "nothing", String(cachedWorkflows))
  try {
    await runAll(() => one(agent))
    if (worker.pid === undefined) throw new Error("the worker has no process")
    worker.kill("SIGUSR2")
    await once(worker.stdout ?? worker, "data")
    return residentBytes(worker.pid)
  } finally {
    const ended = once(worker, "exit")
    worker.kill("SIGKILL")
    await ended
    await agent.close()
  }
}

/** Measures the memory that paused sessions use in their worker. */
export const pausedMemory: Benchmark = {
  name: "b4",
  title: "resident memory of a worker per paused session − per ended one",
  async measure(context) {
    const values: number[] = []
    const paused: number[] = []
    const ended: number[] = []
    for (let round = 0; round < context.pairs(1); round += 1) {
      paused.push((await residentAfter(context, intoPause)) / sessions / 1024)
      ended.push((await residentAfter(context, toTheEnd)) / sessions / 1024)
      values.push((paused.at(-1) ?? 0) - (ended.at(-1) ?? 0))
      context.log(`${shown(paused.at(-1) ?? 0)} KB per paused session, ${shown(ended.at(-1) ?? 0)} KB per ended one`)
    }
    const side = (label: string, kilobytes: readonly number[]) => ({ label, unit: "KB", values: kilobytes })
    return {
      figures: [
        {
          label: `${sessions} sessions, ${cachedWorkflows} workflows cached`,
          unit: "KB",
          values,
          goal: { kind: "at-most", value: 20 },
          sides: [side("paused", paused), side("ended", ended)],
        },
      ],
    }
  },
}

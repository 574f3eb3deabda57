import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { type BenchAgent, openBenchAgent } from "../rig/bench-agent.ts"
import { prompts } from "../rig/bench-model.ts"
import type { Benchmark, Figure } from "../benchmark.ts"
import { elapsedMs } from "../figures/elapsed.ts"
import { shown } from "../figures/results-table.ts"

const workerProgram = fileURLToPath(new URL("../rig/worker-process.ts", import.meta.url))
const killedInStep = 3

const startProcess = (address: string, agent: BenchAgent, hanging: string): ChildProcess =>
  spawn(process.execPath, [workerProgram, address, agent.dataDir, hanging], { stdio: ["ignore", "ignore", "inherit"] })

const end = async (child: ChildProcess, signal: NodeJS.Signals): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, "exit")
  child.kill(signal)
  await ended
}

const isMidStep = (hanging: string, event: Readonly<Record<string, unknown>>, started: number): boolean =>
  hanging === "model"
    ? event["type"] === "step-started" && event["step"] === killedInStep
    : event["type"] === "tool-started" && started === killedInStep

/** Follows the session until it hangs, kills its worker, starts another one, and measures the time to the next event. */
const recoverOnce = async (address: string, agent: BenchAgent, hanging: "model" | "tool"): Promise<number> => {
  const stop = new AbortController()
  let worker = startProcess(address, agent, hanging)
  try {
    const sessionId = await agent.start({ prompt: prompts.call, max_steps: killedInStep + 1 })
    const events = agent.store.events.follow(sessionId, { after: 0, signal: stop.signal })[Symbol.asyncIterator]()
    for (let started = 0; ;) {
      const { value, done } = await events.next()
      if (done === true) throw new Error("the event log ended")
      if (value.type === "tool-started") started += 1
      if (isMidStep(hanging, value, started)) break
    }
    const tookMs = await elapsedMs(async () => {
      await end(worker, "SIGKILL")
      worker = startProcess(address, agent, "nothing")
      await events.next()
    })
    await agent.ended(sessionId)
    return tookMs / 1_000
  } finally {
    stop.abort()
    await end(worker, "SIGKILL")
  }
}

/** Measures how soon another worker takes over from a killed one. */
export const recovery: Benchmark = {
  name: "b6",
  title: "worker killed in mid-step and restarted, until the session continues",
  async measure(context) {
    const { address, hasSearchAttributes } = await context.server()
    const agent = await openBenchAgent({ address, hasSearchAttributes, worker: false })
    try {
      const figures: Figure[] = []
      for (const hanging of ["model", "tool"] as const) {
        const values: number[] = []
        for (let round = 0; round < context.pairs(3); round += 1) {
          values.push(await recoverOnce(address, agent, hanging))
          context.log(`in a ${hanging} call: ${shown(values.at(-1) ?? 0)} s`)
        }
        figures.push({ label: `in a ${hanging} call`, unit: "s", values, goal: { kind: "at-most", value: 5 } })
      }
      return { figures }
    } finally {
      await agent.close()
    }
  },
}

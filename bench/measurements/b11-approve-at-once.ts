import type { WorkflowHandle } from "@temporalio/client"
import type { BareWorker } from "../rig/bare-worker.ts"
import { goUpdate } from "../bare/bare-workflows.ts"
import type { BenchAgent } from "../rig/bench-agent.ts"
import { prompts } from "../rig/bench-model.ts"
import { acts } from "../rig/bench-tools.ts"
import type { Benchmark, Figure, Goal } from "../benchmark.ts"
import { measurePairs } from "../figures/measure-pairs.ts"
import { processorSeconds } from "../figures/processor-time.ts"
import { ratioFigure } from "../figures/ratio-figure.ts"
import { shown } from "../figures/results-table.ts"
import { withBoth } from "../rig/with-both.ts"
import { sessionWorkflowId } from "../../domain/engine/engine-names.ts"

const waiting = 500

const many = <T>(one: (index: number) => Promise<T>): Promise<readonly T[]> =>
  Promise.all(Array.from({ length: waiting }, (_, index) => one(index)))

/** What an approval of all sessions took, in ms: time, and time of the processors in this process and in the engine's. */
interface Cost {
  readonly elapsed: number
  readonly node: number
  readonly engine: number
}

const costOf = async (enginePid: number, work: () => Promise<unknown>): Promise<Cost> => {
  const read = (): Cost => ({
    elapsed: performance.now(),
    node: processorSeconds(process.pid) * 1_000,
    engine: processorSeconds(enginePid) * 1_000,
  })
  const before = read()
  await work()
  const after = read()
  return {
    elapsed: after.elapsed - before.elapsed,
    node: after.node - before.node,
    engine: after.engine - before.engine,
  }
}

/** Returns what it took from the first decision until the approved tool of every session has run. */
const approveAll = async (agent: BenchAgent, enginePid: number): Promise<Cost> => {
  const ids = await many(() => agent.start({ prompt: prompts.act, auto_approve: false }))
  await Promise.all(
    ids.map(async (id) => {
      const paused = await agent.client.wait(id)
      if (paused?.outcome !== "paused") throw new Error(`the session did not pause: it is ${paused?.outcome}`)
      await agent.temporal.workflow.getHandle(sessionWorkflowId(id)).query("__stack_trace")
    }),
  )
  const decide = (sessionId: string) =>
    agent.client.decide({
      sessionId,
      all: { action: "accept" },
      unlisted: "pending",
      actor: { by: "bench", via: "cli" },
    })
  const cost = await costOf(enginePid, () => Promise.all([acts.more(waiting), ...ids.map(decide)]))
  await Promise.all(ids.map((id) => agent.ended(id)))
  return cost
}

const updateAll = async (bare: BareWorker, enginePid: number): Promise<Cost> => {
  const handles = await many(() => bare.start("twoActivitiesAfterUpdate", []))
  await Promise.all(handles.map((handle) => handle.query("__stack_trace")))
  const update = (handle: WorkflowHandle) => handle.executeUpdate(goUpdate)
  const cost = await costOf(enginePid, () => Promise.all([bare.approvals.more(waiting), ...handles.map(update)]))
  await Promise.all(handles.map((handle) => handle.result()))
  return cost
}

/** Measures many approvals at the same time. */
export const approveAtOnce: Benchmark = {
  name: "b11",
  title: "paused sessions approved at once, until all have continued ÷ bare updates",
  async measure(context) {
    const { pid } = await context.server()
    return await withBoth(context, async ({ agent, bare }) => {
      const pair = { subject: () => approveAll(agent, pid), baseline: () => updateAll(bare, pid) }
      const measured = await measurePairs(pair, context.pairs(3), (ours, theirs) =>
        context.log(`${shown(ours.elapsed)} ms, bare ${shown(theirs.elapsed)} ms`),
      )
      const figureOf = (label: string, key: keyof Cost, goal?: Goal): Figure =>
        ratioFigure(
          { label, subject: "sessions", baseline: "bare", unit: "ms", ...(goal === undefined ? {} : { goal }) },
          {
            subject: measured.subject.map((cost) => cost[key]),
            baseline: measured.baseline.map((cost) => cost[key]),
          },
        )
      return {
        figures: [
          figureOf(`${waiting} sessions`, "elapsed", { kind: "at-most", value: 1.3 }),
          figureOf("processor time of the client and worker", "node"),
          figureOf("processor time of the Temporal server", "engine"),
        ],
      }
    })
  },
}

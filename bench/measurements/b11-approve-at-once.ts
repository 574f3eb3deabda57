import type { WorkflowHandle } from "@temporalio/client"
import type { BareWorker } from "../rig/bare-worker.ts"
import { goUpdate } from "../bare/bare-workflows.ts"
import type { BenchAgent } from "../rig/bench-agent.ts"
import { prompts } from "../rig/bench-model.ts"
import { acts } from "../rig/bench-tools.ts"
import type { Benchmark } from "../benchmark.ts"
import { elapsedMs } from "../figures/elapsed.ts"
import { measurePairs } from "../figures/measure-pairs.ts"
import { ratioFigure } from "../figures/ratio-figure.ts"
import { shown } from "../figures/results-table.ts"
import { withBoth } from "../rig/with-both.ts"
import { sessionWorkflowId } from "../../domain/engine/engine-names.ts"

const waiting = 500

const many = <T>(one: (index: number) => Promise<T>): Promise<readonly T[]> =>
  Promise.all(Array.from({ length: waiting }, (_, index) => one(index)))

/** Returns the time from the first decision until the approved tool of every session has run. */
const approveAll = async (agent: BenchAgent): Promise<number> => {
  const ids = await many(() => agent.start({ prompt: prompts.act, approval: "policy" }))
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
  const tookMs = await elapsedMs(() => Promise.all([acts.more(waiting), ...ids.map(decide)]))
  await Promise.all(ids.map((id) => agent.ended(id)))
  return tookMs
}

const updateAll = async (bare: BareWorker): Promise<number> => {
  const handles = await many(() => bare.start("twoActivitiesAfterUpdate", []))
  await Promise.all(handles.map((handle) => handle.query("__stack_trace")))
  const update = (handle: WorkflowHandle) => handle.executeUpdate(goUpdate)
  const tookMs = await elapsedMs(() => Promise.all([bare.approvals.more(waiting), ...handles.map(update)]))
  await Promise.all(handles.map((handle) => handle.result()))
  return tookMs
}

/** Measures many approvals at the same time. */
export const approveAtOnce: Benchmark = {
  name: "b11",
  title: "paused sessions approved at once, until all have continued ÷ bare updates",
  measure: (context) =>
    withBoth(context, async ({ agent, bare }) => {
      const pair = { subject: () => approveAll(agent), baseline: () => updateAll(bare) }
      const measured = await measurePairs(pair, context.pairs(3), (ours, theirs) =>
        context.log(`${shown(ours)} ms, bare ${shown(theirs)} ms`),
      )
      const labels = { label: `${waiting} sessions`, subject: "sessions", baseline: "bare", unit: "ms" }
      return { figures: [ratioFigure({ ...labels, goal: { kind: "at-most", value: 1.3 } }, measured)] }
    }),
}

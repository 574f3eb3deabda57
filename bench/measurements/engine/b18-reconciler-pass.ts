import { setTimeout as delay } from "node:timers/promises"
import { sessionWorkflowId } from "../../../domain/engine/engine-names.ts"
import type { Benchmark } from "../../benchmark.ts"
import { elapsedMs } from "../../figures/elapsed.ts"
import { measurePairs } from "../../figures/measure-pairs.ts"
import { ratioFigure } from "../../figures/ratio-figure.ts"
import { shown } from "../../figures/results-table.ts"
import { createTally } from "../../figures/tally.ts"
import { type BenchAgent, openBenchAgent } from "../../rig/bench-agent.ts"
import type { TunedServer } from "../../rig/tuned-server.ts"

const sizes = { many: 10_000, few: 1_000 } as const
const startedAtOnce = 20
const actor = { by: "bench", via: "cli" }

/** Writes sessions that are paused. */
const putPaused = async ({ store, cwd }: BenchAgent, ids: readonly string[]): Promise<void> => {
  await store.transaction(async (writes) => {
    for (const id of ids) {
      const runId = `run_${id}`
      const place = { parentId: null, rootId: id, depth: 0, cwd, label: null, metadata: {} }
      await writes.sessions.create({ id, sessionKey: id, title: null, agent: "general", model: "main", ...place })
      await writes.runs.create({ runId, sessionId: id, snapshotHash: `hash_${id}` })
      await writes.runs.patch(runId, { status: "paused" })
      await writes.sessions.patch(id, { status: "paused", runId })
    }
  })
}

const mostTries = 5

/** Opens one execution. So many starts at once can exceed what the engine's single connection takes, so it tries again. */
const openExecution = async ({ temporal }: BenchAgent, id: string, taskQueue: string): Promise<void> => {
  const workflowIdConflictPolicy = "USE_EXISTING"
  for (let tries = 1; ; tries += 1) {
    try {
      const place = { workflowId: sessionWorkflowId(id), taskQueue, workflowIdConflictPolicy } as const
      await temporal.workflow.start("llmAgent", { ...place, args: [] })
      return
    } catch (error) {
      if (tries === mostTries) throw error
      await delay(1_000)
    }
  }
}

/** Opens an execution for each session, on a queue that nobody polls, since an execution that waits is the same for the reconciler. */
const openExecutions = async (agent: BenchAgent, ids: readonly string[]): Promise<void> => {
  const { temporal } = agent
  const taskQueue = `${agent.taskQueue}-paused`
  for (let from = 0; from < ids.length; from += startedAtOnce)
    await Promise.all(ids.slice(from, from + startedAtOnce).map((id) => openExecution(agent, id, taskQueue)))
  const query = `TaskQueue = "${taskQueue}" AND ExecutionStatus = "Running"`
  while ((await temporal.workflow.count(query)).count < ids.length) await delay(500)
}

/** Opens a store with paused sessions. `requests` counts what this process asks of the engine. */
const openPaused = async ({ address, hasSearchAttributes }: TunedServer, count: number) => {
  const requests = createTally()
  const agent = await openBenchAgent({ address, hasSearchAttributes, onRequest: requests.add })
  const ids = Array.from({ length: count }, (_, index) => `${agent.store.storeId}-${index}`)
  await putPaused(agent, ids)
  await openExecutions(agent, ids)
  const pass = async (): Promise<void> => {
    const { checked, missing, failed = [] } = await agent.client.reconcile({}, actor)
    if (checked !== count || missing > 0 || failed.length > 0)
      throw new Error(`the pass checked ${checked} of ${count}, ${missing} are missing, failed: ${failed.join(" ")}`)
  }
  return { requests, pass, close: () => agent.close() }
}

/** Measures what a pass costs at many sessions, and whether its time grows faster than their number. */
export const reconcilerPass: Benchmark = {
  name: "b18",
  title: "one pass of the reconciler over paused sessions",
  async measure(context) {
    const server = await context.server()
    const many = await openPaused(server, sizes.many)
    try {
      const few = await openPaused(server, sizes.few)
      try {
        const calls: number[] = []
        const subject = async (): Promise<number> => {
          const before = many.requests.total()
          const tookMs = await elapsedMs(many.pass)
          calls.push((many.requests.total() - before) / sizes.many)
          return tookMs
        }
        const pair = { subject, baseline: () => elapsedMs(few.pass) }
        const measured = await measurePairs(pair, context.pairs(5), (long, short) =>
          context.log(`${shown(long)} ms, for ${sizes.few} sessions ${shown(short)} ms`),
        )
        const label = `time for ${sizes.many} sessions ÷ time for ${sizes.few}`
        const labels = { label, subject: `${sizes.many} sessions`, baseline: `${sizes.few} sessions`, unit: "ms" }
        return {
          figures: [
            {
              label: `requests to the engine per session: ${sizes.many} sessions`,
              unit: "requests",
              values: calls,
              goal: { kind: "at-most", value: 0.1 },
            },
            ratioFigure({ ...labels, goal: { kind: "at-most", value: 11 } }, measured),
          ],
        }
      } finally {
        await few.close()
      }
    } finally {
      await many.close()
    }
  },
}

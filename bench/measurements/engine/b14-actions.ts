import { setTimeout as delay } from "node:timers/promises"
import type { Benchmark } from "../../benchmark.ts"
import { sessionWorkflowId } from "../../../domain/engine/engine-names.ts"
import { billableActions } from "../../figures/billable-actions.ts"
import { type BenchAgent, openBenchAgent } from "../../rig/bench-agent.ts"
import { benchModel, prompts } from "../../rig/bench-model.ts"

const sessions = 10
const steps = 3
const turnMs = 20_000
const daySeconds = 86_400

const slowModel: typeof benchModel = {
  respond: async (request) => {
    await delay(turnMs)
    return benchModel.respond(request)
  },
}

/** Counts the heartbeats of a session's calls that reach the server, until the session ends. */
const countHeartbeats = async ({ temporal }: BenchAgent, id: string): Promise<number> => {
  const seen = new Set<string>()
  for (;;) {
    const { raw, status } = await temporal.workflow.getHandle(sessionWorkflowId(id)).describe()
    for (const { activityId, lastHeartbeatTime } of raw.pendingActivities ?? [])
      if (lastHeartbeatTime != null)
        seen.add(`${activityId} ${String(lastHeartbeatTime.seconds)} ${lastHeartbeatTime.nanos}`)
    if (status.name !== "RUNNING") return seen.size
    await delay(250)
  }
}

/** Returns the actions per step of one session. */
const measureSession = async (agent: BenchAgent): Promise<number> => {
  const id = await agent.start({ prompt: prompts.call, max_steps: steps })
  const heartbeats = await countHeartbeats(agent, id)
  return (heartbeats + (await billableActions(agent.temporal, sessionWorkflowId(id)))) / steps
}

/** Returns the actions of a day in which only the reconciler runs: each pass is one of the schedule and those of its workflow. */
const idleDay = async ({ temporal, taskQueue, reconcileSeconds }: BenchAgent): Promise<number> => {
  const query = `WorkflowType = "reconcile" AND TaskQueue = "${taskQueue}" AND ExecutionStatus = "Completed"`
  for (;;) {
    for await (const { workflowId } of temporal.workflow.list({ query })) {
      const pass = 1 + (await billableActions(temporal, workflowId))
      return (pass * daySeconds) / reconcileSeconds
    }
    await delay(500)
  }
}

/** What a cluster that bills actions charges for. */
export const actions: Benchmark = {
  name: "b14",
  title: "billable actions of the engine in the `cluster` profile, with model calls of 20 s",
  async measure(context) {
    const { address, hasSearchAttributes } = await context.server()
    const agent = await openBenchAgent({ address, hasSearchAttributes, liveness: "cluster", model: slowModel })
    try {
      const perStep: number[] = []
      const perDay: number[] = []
      for (let round = 0; round < context.pairs(1); round += 1) {
        perStep.push(...(await Promise.all(Array.from({ length: sessions }, () => measureSession(agent)))))
        perDay.push(await idleDay(agent))
      }
      return {
        figures: [
          { label: "per step", unit: "actions", values: perStep, goal: { kind: "at-most", value: 4 } },
          { label: "an idle store, per day", unit: "actions", values: perDay, goal: { kind: "at-most", value: 500 } },
        ],
      }
    } finally {
      await agent.close()
    }
  },
}

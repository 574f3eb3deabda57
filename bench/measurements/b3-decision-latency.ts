import type { WorkflowHandle } from "@temporalio/client"
import type { BareWorker, BareWorkflow } from "../rig/bare-worker.ts"
import { goUpdate } from "../bare/bare-workflows.ts"
import type { BenchAgent } from "../rig/bench-agent.ts"
import { prompts } from "../rig/bench-model.ts"
import type { Benchmark, Figure, Goal } from "../benchmark.ts"
import { measurePairs, type PairedValues } from "../figures/measure-pairs.ts"
import { ratioFigure } from "../figures/ratio-figure.ts"
import { shown } from "../figures/results-table.ts"
import { quantile } from "../figures/statistics.ts"
import { withBoth } from "../rig/with-both.ts"
import { sessionWorkflowId } from "../../domain/engine/engine-names.ts"

const decisionsPerRound = 25

const nowMs = (): number => performance.timeOrigin + performance.now()

/** Returns when the execution's last activity started, by the engine's clock, which is this machine's. */
const lastActivityStartedMs = async (handle: WorkflowHandle): Promise<number> => {
  const { events } = await handle.fetchHistory()
  const times = (events ?? []).flatMap(({ activityTaskStartedEventAttributes, eventTime }) =>
    activityTaskStartedEventAttributes == null || eventTime == null
      ? []
      : [Number(eventTime.seconds) * 1_000 + (eventTime.nanos ?? 0) / 1e6],
  )
  const last = times.at(-1)
  if (last === undefined) throw new Error("no activity started")
  return last
}

/** Returns the time from sending a decision to the start of the tool that it approves. */
const approveOnce = async (agent: BenchAgent): Promise<number> => {
  const sessionId = await agent.start({ prompt: prompts.act, auto_approve: false })
  const paused = await agent.client.wait(sessionId)
  if (paused?.outcome !== "paused") throw new Error(`the session did not pause: it is ${paused?.outcome}`)
  // The store shows a pause before the engine is done with it. No person decides so fast, so both sides wait until they are idle.
  await agent.temporal.workflow.getHandle(sessionWorkflowId(sessionId)).query("__stack_trace")
  const sentAt = nowMs()
  await agent.client.decide({
    sessionId,
    all: { action: "accept" },
    unlisted: "pending",
    actor: { by: "bench", via: "cli" },
  })
  await agent.ended(sessionId)
  return (await toolStartedMs(agent, sessionId)) - sentAt
}

/** Returns when the approved tool started; another model turn follows it. */
const toolStartedMs = async (agent: BenchAgent, sessionId: string): Promise<number> => {
  const { events } = await agent.temporal.workflow.getHandle(sessionWorkflowId(sessionId)).fetchHistory()
  const scheduled = events?.find(
    (event) => event.activityTaskScheduledEventAttributes?.activityType?.name === "runTool",
  )
  const started = events?.find(
    ({ activityTaskStartedEventAttributes: start }) =>
      start != null && String(start.scheduledEventId) === String(scheduled?.eventId),
  )
  if (scheduled === undefined || started?.eventTime == null) throw new Error("the approved tool did not start")
  return Number(started.eventTime.seconds) * 1_000 + (started.eventTime.nanos ?? 0) / 1e6
}

const updateOnce = async (bare: BareWorker, workflow: BareWorkflow): Promise<number> => {
  const handle = await bare.start(workflow, [])
  await handle.query("__stack_trace")
  const sentAt = nowMs()
  await handle.executeUpdate(goUpdate)
  await handle.result()
  return (await lastActivityStartedMs(handle)) - sentAt
}

const quantiles = [
  { label: "p50", q: 0.5 },
  { label: "p95", q: 0.95 },
]

const baselines: readonly { readonly label: string; readonly workflow: BareWorkflow; readonly goal?: Goal }[] = [
  { label: "", workflow: "oneActivityAfterUpdate", goal: { kind: "at-most", value: 1.3 } },
  { label: ", bare with the status shown and a local activity", workflow: "recordedActivityAfterUpdate" },
]

const figuresOf = (rounds: readonly PairedValues[], { label, goal }: (typeof baselines)[number]): readonly Figure[] =>
  quantiles.map(({ label: quantileLabel, q }) =>
    ratioFigure(
      {
        label: `${quantileLabel} of ${decisionsPerRound} per round${label}`,
        subject: "decision",
        baseline: "bare",
        unit: "ms",
        ...(goal === undefined ? {} : { goal }),
      },
      {
        subject: rounds.map(({ subject }) => quantile(subject, q)),
        baseline: rounds.map(({ baseline }) => quantile(baseline, q)),
      },
    ),
  )

/** Measures how long an approved call waits for its start. */
export const decisionLatency: Benchmark = {
  name: "b3",
  title: "decision sent to activity started ÷ bare update, condition and activity",
  measure: (context) =>
    withBoth(context, async ({ agent, bare }) => {
      const measured = baselines.map(() => [] as PairedValues[])
      for (let round = 0; round < context.pairs(4); round += 1) {
        for (const [index, { workflow }] of baselines.entries()) {
          const pair = { subject: () => approveOnce(agent), baseline: () => updateOnce(bare, workflow) }
          const values = await measurePairs(pair, decisionsPerRound)
          measured[index]?.push(values)
          const [ours, theirs] = [quantile(values.subject, 0.5), quantile(values.baseline, 0.5)]
          context.log(`${workflow}: p50 ${shown(ours)} ms, bare ${shown(theirs)} ms`)
        }
      }
      return { figures: baselines.flatMap((baseline, index) => figuresOf(measured[index] ?? [], baseline)) }
    }),
}

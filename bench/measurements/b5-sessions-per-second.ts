import type { Benchmark } from "../benchmark.ts"
import { prompts } from "../rig/bench-model.ts"
import { elapsedMs } from "../figures/elapsed.ts"
import { measurePairs } from "../figures/measure-pairs.ts"
import { ratioFigure } from "../figures/ratio-figure.ts"
import { shown } from "../figures/results-table.ts"
import { withBoth } from "../rig/with-both.ts"

const parallel = 200

const perSecond = async (one: () => Promise<unknown>): Promise<number> =>
  (parallel / (await elapsedMs(() => Promise.all(Array.from({ length: parallel }, one))))) * 1_000

/** Compares many short concurrent sessions of one model turn each with workflows of one activity. */
export const sessionsPerSecond: Benchmark = {
  name: "b5",
  title: "sessions started and finished per second ÷ bare workflows",
  measure: (context) =>
    withBoth(context, async ({ agent, bare }) => {
      const pair = {
        subject: () => perSecond(async () => agent.ended(await agent.start({ prompt: prompts.answer }))),
        baseline: () => perSecond(async () => (await bare.start("oneActivity", [])).result()),
      }
      const measured = await measurePairs(pair, context.pairs(5), (ours, theirs) =>
        context.log(`${shown(ours)} sessions/s, bare ${shown(theirs)}`),
      )
      const labels = { label: `${parallel} in parallel`, subject: "sessions", baseline: "bare", unit: "/s" }
      return { figures: [ratioFigure({ ...labels, goal: { kind: "at-least", value: 0.5 } }, measured)] }
    }),
}

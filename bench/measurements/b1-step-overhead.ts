import type { Benchmark } from "../benchmark.ts"
import { prompts } from "../rig/bench-model.ts"
import { elapsedMs } from "../figures/elapsed.ts"
import { measurePairs } from "../figures/measure-pairs.ts"
import { ratioFigure } from "../figures/ratio-figure.ts"
import { shown } from "../figures/results-table.ts"
import { withBoth } from "../rig/with-both.ts"

const sizes = [50, 200]

/** Compares a whole session with a bare workflow of as many activities: the overhead that Adjutant adds to the engine. */
export const stepOverhead: Benchmark = {
  name: "b1",
  title: "time per step ÷ two empty activities",
  measure: (context) =>
    withBoth(context, async ({ agent, bare }) => {
      const figures = []
      for (const steps of sizes) {
        const pair = {
          subject: async () =>
            (await elapsedMs(async () => agent.ended(await agent.start({ prompt: prompts.call, max_steps: steps })))) /
            steps,
          baseline: async () =>
            (await elapsedMs(async () => (await bare.start("emptySteps", [steps])).result())) / steps,
        }
        const measured = await measurePairs(pair, context.pairs(7), (ours, theirs) =>
          context.log(`${steps} steps: ${shown(ours)} ms a step, bare ${shown(theirs)} ms`),
        )
        const labels = { label: `${steps} steps`, subject: "agent", baseline: "bare", unit: "ms/step" }
        figures.push(ratioFigure({ ...labels, goal: { kind: "at-most", value: 1.25 } }, measured))
      }
      return { figures }
    }),
}

import type { Benchmark } from "../benchmark.ts"
import { prompts } from "../rig/bench-model.ts"
import { elapsedMs } from "../figures/elapsed.ts"
import { measurePairs } from "../figures/measure-pairs.ts"
import { ratioFigure } from "../figures/ratio-figure.ts"
import { shown } from "../figures/results-table.ts"
import { withBoth } from "../rig/with-both.ts"

const agents = 50
const steps = 20

const stepsPerSecond = async (one: () => Promise<unknown>): Promise<number> =>
  ((agents * steps) / (await elapsedMs(() => Promise.all(Array.from({ length: agents }, one))))) * 1_000

/** Measures the throughput of one worker with many concurrent agents. */
export const manyAgents: Benchmark = {
  name: "b12",
  title: "steps/s of many concurrent agents ÷ bare loops",
  measure: (context) =>
    withBoth(context, async ({ agent, bare }) => {
      const pair = {
        subject: () =>
          stepsPerSecond(async () => agent.ended(await agent.start({ prompt: prompts.call, max_steps: steps }))),
        baseline: () => stepsPerSecond(async () => (await bare.start("emptySteps", [steps])).result()),
      }
      const measured = await measurePairs(pair, context.pairs(3), (ours, theirs) =>
        context.log(`${shown(ours)} steps/s, bare ${shown(theirs)}`),
      )
      const labels = { label: `${agents} agents`, subject: "agents", baseline: "bare", unit: "steps/s" }
      return { figures: [ratioFigure({ ...labels, goal: { kind: "at-least", value: 0.8 } }, measured)] }
    }),
}

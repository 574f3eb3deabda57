import type { Benchmark } from "../benchmark.ts"
import { type BenchAgent, openBenchAgent } from "../rig/bench-agent.ts"
import { prompts } from "../rig/bench-model.ts"
import { elapsedMs } from "../figures/elapsed.ts"
import { measurePairs } from "../figures/measure-pairs.ts"
import { startPlainServer } from "../rig/plain-server.ts"
import { ratioFigure } from "../figures/ratio-figure.ts"
import { shown } from "../figures/results-table.ts"

const steps = 50

const stepsPerSecond = (agent: BenchAgent, prompt: string) => async (): Promise<number> =>
  (steps / (await elapsedMs(async () => agent.ended(await agent.start({ prompt, max_steps: steps }))))) * 1_000

/** With a quick tool, a step needs one round through the engine's queues less, so the settings have less effect. */
const kinds = [
  { label: `${steps} steps of two activities`, prompt: prompts.callActivity, goal: { kind: "at-least", value: 8 } },
  { label: `${steps} steps with a quick tool`, prompt: prompts.call },
] as const

/** Measures the effect of the embedded server's settings, for one agent. */
export const serverTuning: Benchmark = {
  name: "b9",
  title: "one agent's steps/s, embedded server ÷ plain start-dev",
  async measure(context) {
    const tuned = await context.server()
    const plain = await startPlainServer(context.log)
    try {
      const ours = await openBenchAgent(tuned)
      const theirs = await openBenchAgent(plain)
      try {
        const figures = []
        for (const { label, prompt, ...goal } of kinds) {
          const measured = await measurePairs(
            { subject: stepsPerSecond(ours, prompt), baseline: stepsPerSecond(theirs, prompt) },
            context.pairs(3),
            (fast, slow) => context.log(`${label}: ${shown(fast)} steps/s, plain ${shown(slow)}`),
          )
          const labels = { label, subject: "embedded", baseline: "plain", unit: "steps/s" }
          figures.push(ratioFigure({ ...labels, ...goal }, measured))
        }
        return { figures }
      } finally {
        await theirs.close()
        await ours.close()
      }
    } finally {
      await plain.stop()
    }
  },
}

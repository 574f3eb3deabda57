import type { Benchmark } from "./benchmark.ts"
import { type BenchAgent, openBenchAgent } from "./bench-agent.ts"
import { prompts } from "./bench-model.ts"
import { elapsedMs } from "./elapsed.ts"
import { measurePairs } from "./measure-pairs.ts"
import { startPlainServer } from "./plain-server.ts"
import { ratioFigure } from "./ratio-figure.ts"
import { shown } from "./results-table.ts"

const steps = 50

const stepsPerSecond = (agent: BenchAgent) => async (): Promise<number> =>
  (steps / (await elapsedMs(async () => agent.ended(await agent.start({ prompt: prompts.call, maxSteps: steps }))))) *
  1_000

/** What the embedded server's settings bring, for one agent. */
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
        const measured = await measurePairs(
          { subject: stepsPerSecond(ours), baseline: stepsPerSecond(theirs) },
          context.pairs(3),
          (fast, slow) => context.log(`${shown(fast)} steps/s, plain ${shown(slow)}`),
        )
        const labels = { label: `${steps} steps`, subject: "embedded", baseline: "plain", unit: "steps/s" }
        return { figures: [ratioFigure({ ...labels, goal: { kind: "at-least", value: 8 } }, measured)] }
      } finally {
        await theirs.close()
        await ours.close()
      }
    } finally {
      await plain.stop()
    }
  },
}

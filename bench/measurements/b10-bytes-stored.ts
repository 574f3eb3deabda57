import type { Benchmark, Figure } from "../benchmark.ts"
import { openBenchAgent } from "../rig/bench-agent.ts"
import { measureGrowth } from "../figures/measure-growth.ts"

const sizes = [50, 200, 1_000]

/** Compares the stored data with the transcript. The engine counts once with its history, as in every deployment, and once with its database file. */
export const bytesStored: Benchmark = {
  name: "b10",
  title: "bytes stored ÷ bytes of the transcript",
  async measure(context) {
    const server = await context.server()
    const agent = await openBenchAgent(server)
    try {
      const figures: Figure[] = []
      for (const steps of sizes) {
        const { history, storeBytes, engineBytes, transcriptBytes } = await measureGrowth(agent, {
          engineFile: server.database,
          steps,
        })
        const side = (label: string, bytes: number) => ({ label, unit: "B/step", values: [bytes / steps] })
        figures.push(
          {
            label: `${steps} steps, history and store`,
            unit: "×",
            values: [(history.bytes + storeBytes) / transcriptBytes],
            goal: { kind: "at-most", value: 2 },
            sides: [side("transcript", transcriptBytes), side("store", storeBytes), side("history", history.bytes)],
          },
          {
            label: `${steps} steps, both database files`,
            unit: "×",
            values: [(engineBytes + storeBytes) / transcriptBytes],
            sides: [side("engine's file", engineBytes)],
          },
        )
      }
      return { figures }
    } finally {
      await agent.close()
    }
  },
}

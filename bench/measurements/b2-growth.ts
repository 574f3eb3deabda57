import type { Benchmark, Growth } from "../benchmark.ts"
import { openBenchAgent } from "../rig/bench-agent.ts"
import { type Footprint, measureGrowth } from "../figures/measure-growth.ts"
import { shown } from "../figures/results-table.ts"

const sizes = [50, 100, 250, 500, 1_000]

const curve = (footprints: readonly Footprint[], bytesOf: (footprint: Footprint) => number): Growth["points"] =>
  footprints.map((footprint) => ({ x: footprint.steps, y: bytesOf(footprint) / footprint.steps }))

const lastToFirst = (points: Growth["points"]): number =>
  (points.at(-1)?.y ?? Number.NaN) / (points[0]?.y ?? Number.NaN)

const describe = ({ steps, history, storeBytes }: Footprint): string =>
  `${steps} steps: ${shown(history.bytes / steps)} bytes and ${shown(history.events / steps)} events of history a step in ` +
  `${history.executions} executions, ${shown(storeBytes / steps)} bytes of store a step`

/** Measures whether the cost of a step grows with the length of the session. */
export const growth: Benchmark = {
  name: "b2",
  title: "bytes per step at 1,000 steps ÷ at 50",
  async measure(context) {
    const server = await context.server()
    const agent = await openBenchAgent(server)
    try {
      const footprints: Footprint[] = []
      for (const steps of sizes) {
        const footprint = await measureGrowth(agent, { engineFile: server.database, steps })
        context.log(describe(footprint))
        footprints.push(footprint)
      }
      const history = curve(footprints, (footprint) => footprint.history.bytes)
      const store = curve(footprints, (footprint) => footprint.storeBytes)
      const goal = { kind: "at-most", value: 1.1 } as const
      const axis = { xLabel: "steps of one session" }
      return {
        figures: [
          { label: "history", unit: "×", values: [lastToFirst(history)], goal },
          { label: "store", unit: "×", values: [lastToFirst(store)], goal },
        ],
        growth: [
          { ...axis, name: "b2-history", title: "History bytes per step", yLabel: "bytes per step", points: history },
          { ...axis, name: "b2-store", title: "Store bytes per step", yLabel: "bytes per step", points: store },
        ],
        notes: footprints.map(describe),
      }
    } finally {
      await agent.close()
    }
  },
}

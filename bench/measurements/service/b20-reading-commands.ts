import { spawn } from "node:child_process"
import { once } from "node:events"
import type { Benchmark, Figure } from "../../benchmark.ts"
import { elapsedMs } from "../../figures/elapsed.ts"
import { measurePairs } from "../../figures/measure-pairs.ts"
import { ratioFigure } from "../../figures/ratio-figure.ts"
import { shown } from "../../figures/results-table.ts"
import { openServiceProject } from "../../rig/service-project.ts"

const runNothing = async (): Promise<void> => {
  await once(spawn(process.execPath, ["-e", "0"], { stdio: "ignore" }), "exit")
}

/** Measures how long a person waits for a command that only reads. */
export const readingCommands: Benchmark = {
  name: "b20",
  title: "`adjutant list` and `info` ÷ a Node process that does nothing",
  async measure(context) {
    await using project = await openServiceProject()
    await project.run("run", "Answer.")
    const { items } = JSON.parse(await project.run("list", "--output", "json"))
    const compare = async (label: string, command: readonly string[], most: number): Promise<Figure> => {
      const pair = { subject: () => elapsedMs(() => project.run(...command)), baseline: () => elapsedMs(runNothing) }
      const measured = await measurePairs(pair, context.pairs(7), (ours, theirs) =>
        context.log(`${label}: ${shown(ours)} ms, node ${shown(theirs)} ms`),
      )
      const labels = { label, subject: "adjutant", baseline: "node -e 0", unit: "ms" }
      return ratioFigure({ ...labels, goal: { kind: "at-most", value: most } }, measured)
    }
    const info = ["info", String(items[0].id)]
    const running = [
      await compare("list, service running", ["list"], 5),
      await compare("info, service running", info, 5),
    ]
    await project.run("service", "stop")
    return {
      figures: [...running, await compare("list, no service", ["list"], 8), await compare("info, no service", info, 8)],
    }
  },
}

import { dirname } from "node:path"
import { rm } from "node:fs/promises"
import { startAdjutant } from "../rig/adjutant-process.ts"
import type { Benchmark } from "../benchmark.ts"
import { benchFolder } from "../rig/bench-agent.ts"
import { elapsedMs } from "../figures/elapsed.ts"
import { shown } from "../figures/results-table.ts"
import { plainEnvironment } from "../rig/tuned-server.ts"

const startOnce = async (): Promise<number> => {
  const { cwd, configPath, dataDir } = await benchFolder()
  const folder = dirname(dataDir)
  const env = { ...plainEnvironment(folder), ADJUTANT_SERVER_LINGER_MS: "0" }
  const dev = startAdjutant({ args: ["--config", configPath, "--data-dir", dataDir, "dev", "--port", "0"], cwd, env })
  try {
    return (await elapsedMs(() => dev.said("worker ready"))) / 1_000
  } finally {
    dev.kill("SIGTERM")
    await dev.ended
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
}

/** Measures the start of `adjutant dev` in a new data directory, until the server and the worker are ready. */
export const devStart: Benchmark = {
  name: "b8",
  title: "`adjutant dev` from start to ready",
  async measure(context) {
    // Makes sure that the program and the files that are kept between starts exist.
    await context.server()
    await startOnce()
    const values: number[] = []
    for (let round = 0; round < context.pairs(5); round += 1) {
      const seconds = await startOnce()
      context.log(`${shown(seconds)} s`)
      values.push(seconds)
    }
    return { figures: [{ label: "server built", unit: "s", values, goal: { kind: "at-most", value: 5 } }] }
  },
}

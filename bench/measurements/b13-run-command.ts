import { spawn } from "node:child_process"
import { once } from "node:events"
import { rm, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { ensureServer } from "../../server/ensure-server.ts"
import { endServicesIn } from "../../test/helpers/end-services.ts"
import { checkoutLauncher, startAdjutant } from "../rig/adjutant-process.ts"
import { installProgram } from "../rig/installed-program.ts"
import { bareBundle } from "../rig/bare-worker.ts"
import type { Benchmark, Figure } from "../benchmark.ts"
import { benchFolder } from "../rig/bench-agent.ts"
import { elapsedMs } from "../figures/elapsed.ts"
import { measurePairs } from "../figures/measure-pairs.ts"
import { ratioFigure } from "../figures/ratio-figure.ts"
import { shown } from "../figures/results-table.ts"
import { plainEnvironment } from "../rig/tuned-server.ts"

const bareScript = fileURLToPath(new URL("../bare/bare-script.ts", import.meta.url))
const script = "turns:\n  - reply: { text: Done. }\n"

interface Place {
  readonly cwd: string
  readonly configPath: string
  readonly env: NodeJS.ProcessEnv
}

const runProgram = async (launcher: string, { cwd, configPath, env }: Place): Promise<void> => {
  const program = startAdjutant({ args: ["--config", configPath, "run", "Answer."], cwd, env, launcher })
  const code = await program.ended
  if (code !== 0 || !program.stdout().includes("Done.")) throw new Error(`adjutant run ended with ${code}`)
}

const runBare = async (address: string, bundle: string): Promise<void> => {
  const child = spawn(process.execPath, [bareScript, address, bundle], { stdio: ["ignore", "ignore", "ignore"] })
  const [code] = await once(child, "exit")
  if (code !== 0) throw new Error(`the bare script ended with ${code}`)
}

const goal = { kind: "at-most", value: 1.5 } as const

/** Measures the time that a person waits at the shell, from the program's start to its end. */
export const runCommand: Benchmark = {
  name: "b13",
  title: "`adjutant run` of one step ÷ a bare script with one workflow of one activity",
  async measure(context) {
    const { cwd, configPath, dataDir } = await benchFolder()
    const folder = dirname(dataDir)
    await writeFile(join(folder, "script.yaml"), script)
    await writeFile(configPath, JSON.stringify({ models: { main: { provider: "scripted", script: "script.yaml" } } }))
    const bundle = join(folder, "bare-bundle.js")
    await writeFile(bundle, (await bareBundle()).code)
    const env = { ...plainEnvironment(folder), ADJUTANT_DATA_DIR: dataDir, ADJUTANT_SERVER_LINGER_MS: "0" }
    const installed = await installProgram()
    const server = await ensureServer({ dataDir, env, onProgress: context.log, purpose: "bench" })
    try {
      const place = { cwd, configPath, env }
      const compare = async (label: string, launcher: string, judged: Pick<Figure, "goal">): Promise<Figure> => {
        const pair = {
          subject: () => elapsedMs(() => runProgram(launcher, place)),
          baseline: () => elapsedMs(() => runBare(server.address, bundle)),
        }
        const measured = await measurePairs(pair, context.pairs(9), (ours, theirs) =>
          context.log(`${label}: ${shown(ours)} ms, bare ${shown(theirs)} ms`),
        )
        const labels = { label, subject: "adjutant run", baseline: "bare script", unit: "ms" }
        return ratioFigure({ ...labels, ...judged }, measured)
      }
      return {
        figures: [
          await compare("server running, installed program", installed.launcher, { goal }),
          await compare("server running, sources of the checkout", checkoutLauncher, {}),
        ],
      }
    } finally {
      await endServicesIn(folder)
      await server.release()
      await installed.remove()
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    }
  },
}

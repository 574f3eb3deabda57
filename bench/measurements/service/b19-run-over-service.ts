import { spawn } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:http"
import type { Benchmark } from "../../benchmark.ts"
import { elapsedMs } from "../../figures/elapsed.ts"
import { measurePairs } from "../../figures/measure-pairs.ts"
import { ratioFigure } from "../../figures/ratio-figure.ts"
import { shown } from "../../figures/results-table.ts"
import { type BareWorker, openBareWorker } from "../../rig/bare-worker.ts"
import { openServiceProject } from "../../rig/service-project.ts"

/** Serves requests that start one workflow of one activity, and answer with its end. */
const serveWorkflow = async (bare: BareWorker) => {
  const server = createServer((_, response) => {
    void bare
      .start("oneActivity", [])
      .then(async (handle) => await handle.result())
      .then(
        () => response.end("done"),
        () => response.writeHead(500).end(),
      )
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("the server has no port")
  return { url: `http://127.0.0.1:${address.port}/`, close: () => server.close() }
}

const request = "const response = await fetch(process.argv[1]); if ((await response.text()) !== 'done') process.exit(1)"

const requestOnce = async (url: string): Promise<void> => {
  const child = spawn(process.execPath, ["--input-type=module", "-e", request, url], { stdio: "ignore" })
  const [code] = await once(child, "exit")
  if (code !== 0) throw new Error(`the bare request ended with ${code}`)
}

/** Measures what a person waits for at the shell, from the start of the program to its end. */
export const overService: Benchmark = {
  name: "b19",
  title: "`adjutant run` of one step with the service running ÷ a Node process that awaits a workflow over HTTP",
  async measure(context) {
    await using project = await openServiceProject()
    const bare = await openBareWorker(await context.server())
    const server = await serveWorkflow(bare)
    try {
      await project.run("run", "Answer.")
      const pair = {
        subject: () => elapsedMs(() => project.run("run", "Answer.")),
        baseline: () => elapsedMs(() => requestOnce(server.url)),
      }
      const measured = await measurePairs(pair, context.pairs(9), (ours, theirs) =>
        context.log(`run: ${shown(ours)} ms, request ${shown(theirs)} ms`),
      )
      const labels = { label: "installed program", subject: "adjutant run", baseline: "one request", unit: "ms" }
      return { figures: [ratioFigure({ ...labels, goal: { kind: "at-most", value: 1.3 } }, measured)] }
    } finally {
      server.close()
      await bare.close()
    }
  },
}

// A worker in a separate process that can be killed: node bench/rig/worker-process.ts <address> <data dir> <model | tool | slow:<ms> | nothing> [<cached workflows>].
// The third argument says what hangs from the third step on; `slow:<ms>`: each model call takes as long, and says how many run and whether it is repeated. Prints a line when it is ready, and one after each garbage collection (SIGUSR2).
import { setTimeout as delay } from "node:timers/promises"
import { Client, Connection } from "@temporalio/client"
import { NativeConnection } from "@temporalio/worker"
import { pino } from "pino"
import type { ModelProvider } from "../../models/model-provider.ts"
import { openStore } from "../../store/open-store.ts"
import type { Tool } from "../../tools/tool.ts"
import { installRuntime } from "../../worker/runtime.ts"
import { startWorker } from "../../worker/start-worker.ts"
import { benchModel } from "./bench-model.ts"
import { benchTools } from "./bench-tools.ts"

const [address = "", dataDir = "", hanging = "nothing", cached] = process.argv.slice(2)
const hangsAfterMessages = 5
const hangMs = 3_600_000
const [, slowMs] = hanging.split(":").map(Number)

let calls = 0
const answerSlowly: ModelProvider["respond"] = async (request) => {
  calls += 1
  process.stdout.write(`calling ${calls}\n${(request.attempt ?? 1) > 1 ? "repeated\n" : ""}`)
  await delay(slowMs)
  calls -= 1
  return benchModel.respond(request)
}

let messages = 0
const model: ModelProvider = {
  async respond(request) {
    if (slowMs !== undefined) return answerSlowly(request)
    messages = request.messages.length
    if (hanging === "model" && messages >= hangsAfterMessages) await delay(hangMs)
    return benchModel.respond(request)
  },
}
const tools = benchTools.map((tool): Tool => ({
  ...tool,
  async execute(input, context) {
    if (hanging === "tool" && messages >= hangsAfterMessages) await delay(hangMs)
    return tool.execute(input, context)
  },
}))

const logger = pino({ level: "silent" })
installRuntime(logger)
await startWorker({
  connection: await NativeConnection.connect({ address }),
  namespace: "default",
  temporal: new Client({ connection: await Connection.connect({ address }) }),
  store: await openStore({ url: "sqlite:", dataDir }),
  dataDir,
  env: process.env,
  logger,
  redact: (text) => text,
  tools,
  providers: { scripted: model },
  ...(cached === undefined ? {} : { maxCachedWorkflows: Number(cached) }),
})
process.on("SIGUSR2", () => {
  globalThis.gc?.()
  process.stdout.write("collected\n")
})
process.stdout.write("ready\n")

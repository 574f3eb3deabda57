// A worker as its own process, for tests that kill it. Prints `ready` when it serves its queue; exits on
// SIGTERM after its grace time.
import { Client } from "@temporalio/client"
import { NativeConnection } from "@temporalio/worker"
import { pino } from "pino"
import { openConnection } from "../../../server/connection/open-connection.ts"
import { openStore } from "../../../store/open-store.ts"
import { startWorker } from "../../../worker/start-worker.ts"
import { installRuntime } from "../../../worker/runtime.ts"
import { createCrashingStore } from "../store/crashing-store.ts"
import { parseWorkerOrder } from "./worker-order.ts"

const order = parseWorkerOrder(process.argv[2] ?? "")
const logger = pino({ level: process.env["ADJUTANT_TEST_LOG"] ?? "silent" }, pino.destination(2))
installRuntime(logger)
const connection = await openConnection({ address: order.address })
const native = await NativeConnection.connect({ address: order.address })
const store = await openStore({ url: "sqlite:", dataDir: order.dataDir })
const worker = await startWorker({
  connection: native,
  namespace: "default",
  temporal: new Client({ connection }),
  store: order.crashAt === undefined ? store : createCrashingStore(store, order.crashAt),
  dataDir: order.dataDir,
  env: process.env,
  logger,
  redact: (text) => text,
  shutdownGraceMs: order.shutdownGraceMs,
  ...(order.liveness === undefined ? {} : { liveness: order.liveness }),
})
console.log("ready")

process.once("SIGTERM", () => {
  void (async () => {
    await worker.stop()
    await store.close()
    await native.close()
    await connection.close()
    process.exit(0)
  })()
})
await worker.failed

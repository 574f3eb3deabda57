// The keeper's process. The first user of a data directory starts it detached, so that it outlives that user.
import { errorMessage } from "../../domain/text/error-message.ts"
import { keepServer } from "./keep-server.ts"
import { parseKeeperOptions } from "./keeper-options.ts"

process.umask(0o077)
const stop = new AbortController()
for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => stop.abort())
process.on("SIGHUP", () => undefined)

try {
  await keepServer(parseKeeperOptions(process.argv[2]), stop.signal)
} catch (error) {
  if (error !== stop.signal.reason) {
    console.error(JSON.stringify({ level: "ERROR", msg: `keeper: ${errorMessage(error)}` }))
    process.exitCode = 1
  }
}

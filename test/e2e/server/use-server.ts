// A user of an embedded server as a separate process: prints the server's address, and exits when its standard
// input ends.
import { ensureServer } from "../../../server/ensure-server.ts"

const [dataDir = ""] = process.argv.slice(2)
try {
  const server = await ensureServer({ dataDir, env: process.env, purpose: "test" })
  console.log(JSON.stringify({ address: server.address, hasSearchAttributes: server.hasSearchAttributes }))
  process.stdin.resume()
  process.stdin.once("end", () => void server.release().then(() => process.exit(0)))
} catch (error) {
  console.log(JSON.stringify({ error: error instanceof Error ? error.message : String(error) }))
  process.exitCode = 1
}

// Starts what docker-compose.yml starts, without Docker: a Temporal server on PostgreSQL, and a database for the store. Press Ctrl-C to stop.
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { ensureTemporalProgram } from "../server/program/ensure-temporal-program.ts"
import { findPostgresPrograms, startPrivatePostgres } from "./cluster/private-postgres.ts"
import { startTemporalServer } from "./cluster/start-temporal-server.ts"
import { ensureTemporalServer } from "./cluster/temporal-server-programs.ts"

const onProgress = (line: string): void => console.error(line)
const postgresPrograms = await findPostgresPrograms()
if (postgresPrograms === undefined)
  throw new Error("PostgreSQL is not installed under /usr/lib/postgresql: install the package postgresql")
const programs = await ensureTemporalServer(process.env, onProgress)
const cli = await ensureTemporalProgram({ env: process.env, onProgress })
const folder = await mkdtemp(path.join(tmpdir(), "adjutant-cluster-"))
await using stack = new AsyncDisposableStack()
stack.defer(() => rm(folder, { recursive: true, force: true }))
const postgres = await startPrivatePostgres(postgresPrograms)
stack.defer(() => postgres.stop())
const temporal = await startTemporalServer({ programs, cli: cli.path, postgres, folder, namespace: "default" })
stack.defer(() => temporal.stop())

console.log(`TEMPORAL_ADDRESS=${temporal.address}`)
console.log(`PGPASSWORD_FILE=${temporal.storePasswordFile}`)
console.log(`store: { url: "${temporal.storeUrl}" }`)
console.error(`log: ${folder}/temporal-server.log; press Ctrl-C to stop`)

await new Promise((resolve) => {
  process.once("SIGINT", resolve)
  process.once("SIGTERM", resolve)
})

import { type ChildProcess, execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { createWriteStream } from "node:fs"
import { mkdir } from "node:fs/promises"
import path from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { promisify } from "node:util"
import { Connection } from "@temporalio/client"
import { freePort } from "../../server/choose-ports.ts"
import { ensureSearchAttributes } from "../../server/search-attributes.ts"
import type { PrivatePostgres } from "./private-postgres.ts"
import type { TemporalServerPrograms } from "./temporal-server-programs.ts"

export interface TemporalCluster {
  readonly address: string
  stop(): Promise<void>
}

export interface ClusterOptions {
  readonly programs: TemporalServerPrograms
  /** The `temporal` program: makes the namespace, as the images' job does. */
  readonly cli: string
  readonly postgres: PrivatePostgres
  /** Absolute; made where it is missing. The server writes its log there. */
  readonly folder: string
  readonly namespace: string
}

const run = promisify(execFile)
const dynamicConfigFile = path.resolve(import.meta.dirname, "../../docker/dynamic-config.yaml")
const databases = { temporal: "temporal", temporal_visibility: "visibility" } as const

/** What docker-compose.yml starts, as processes: databases and their schema, the server with all its services, a namespace. */
export const startTemporalServer = async (options: ClusterOptions): Promise<TemporalCluster> => {
  const { programs, postgres, folder, namespace, cli } = options
  await mkdir(folder, { recursive: true })
  for (const [database, schema] of Object.entries(databases)) await prepareDatabase(options, database, schema)
  const ports = await freePorts()
  const log = createWriteStream(path.join(folder, "temporal-server.log"), { mode: 0o600 })
  const server = spawn(programs.server, ["start"], {
    // It reads a folder `config` where there is one.
    cwd: folder,
    env: {
      ...serverEnvironment(postgres),
      ...Object.fromEntries([...ports].map(([name, port]) => [name, String(port)])),
    },
    stdio: ["ignore", "pipe", "pipe"],
  })
  let lastWords = ""
  for (const stream of [server.stdout, server.stderr])
    stream.on("data", (chunk: Buffer) => {
      log.write(chunk)
      lastWords = (lastWords + chunk.toString()).slice(-2_000)
    })
  const address = `127.0.0.1:${ports.get("FRONTEND_GRPC_PORT")}`
  try {
    if (!(await becomesHealthy(server, address)))
      throw new Error(`The Temporal server ended at its start:\n${lastWords}`)
    await run(cli, ["operator", "namespace", "create", "-n", namespace, "--retention", "72h", "--address", address])
    await registerSearchAttributes(address, namespace)
  } catch (error) {
    await end(server)
    throw error
  }
  return { address, stop: () => end(server) }
}

/** The names that the images give to the server's own configuration template. */
const serverEnvironment = ({ port, user, password }: PrivatePostgres) => ({
  DB: "postgres12",
  POSTGRES_SEEDS: "127.0.0.1",
  DB_PORT: String(port),
  POSTGRES_USER: user,
  POSTGRES_PWD: password,
  NUM_HISTORY_SHARDS: "4",
  BIND_ON_IP: "127.0.0.1",
  LOG_LEVEL: "warn",
  DYNAMIC_CONFIG_FILE_PATH: dynamicConfigFile,
})

const prepareDatabase = async (options: ClusterOptions, database: string, schema: string): Promise<void> => {
  const { postgres, programs } = options
  const env = { SQL_PASSWORD: postgres.password }
  const connection = [
    "--plugin",
    "postgres12",
    "--endpoint",
    "127.0.0.1",
    "--port",
    String(postgres.port),
    "--user",
    postgres.user,
  ]
  const sql = (...words: readonly string[]) =>
    run(programs.sql, [...connection, "--database", database, ...words], { env })
  await sql("create-database")
  await sql("setup-schema", "-v", "0.0")
  await sql("update-schema", "--schema-name", `postgresql/v12/${schema}`)
}

const portNames = ["FRONTEND", "HISTORY", "MATCHING", "WORKER"].flatMap((service) => [
  `${service}_GRPC_PORT`,
  `${service}_MEMBERSHIP_PORT`,
])

/** All below 32768: the server keeps its membership ports in a column of 16 bits. */
const freePorts = async (): Promise<ReadonlyMap<string, number>> => {
  const ports = new Map<string, number>()
  for (const name of [...portNames, "FRONTEND_HTTP_PORT"]) ports.set(name, await freePort(new Set(ports.values())))
  return ports
}

const becomesHealthy = async (server: ChildProcess, address: string): Promise<boolean> => {
  for (;;) {
    if (server.exitCode !== null) return false
    const connection = await Connection.connect({ address, connectTimeout: "2s" }).catch(() => undefined)
    const health = await connection?.healthService
      .check({ service: "temporal.api.workflowservice.v1.WorkflowService" })
      .catch(() => undefined)
    await connection?.close()
    if (health?.status === serving) return true
    await delay(200)
  }
}

// grpc.health.v1.HealthCheckResponse.ServingStatus
const serving = 1

const registerSearchAttributes = async (address: string, namespace: string): Promise<void> => {
  const connection = await Connection.connect({ address })
  try {
    const registration = await ensureSearchAttributes(connection, namespace, 60_000)
    if (!registration.hasSearchAttributes) throw new Error(`No search attributes: ${registration.reason}`)
  } finally {
    await connection.close()
  }
}

const end = async (server: ChildProcess): Promise<void> => {
  if (server.exitCode !== null || server.signalCode !== null) return
  const ended = once(server, "exit")
  server.kill("SIGTERM")
  const force = setTimeout(() => server.kill("SIGKILL"), 15_000)
  await ended
  clearTimeout(force)
}

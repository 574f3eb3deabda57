import { type ChildProcess, execFile, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { createWriteStream } from "node:fs"
import { mkdir, writeFile } from "node:fs/promises"
import path from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { promisify } from "node:util"
import { Connection } from "@temporalio/client"
import { freePort } from "../../server/exposure/choose-ports.ts"
import type { PrivatePostgres } from "./private-postgres.ts"
import type { TemporalServerPrograms } from "./temporal-server-programs.ts"

export interface TemporalCluster {
  readonly address: string
  /** URL of the store's database, without its password. */
  readonly storeUrl: string
  /** The file for `PGPASSWORD_FILE`. */
  readonly storePasswordFile: string
  /** Ends the server, and starts it again after the work, such as with restored databases. */
  restart(whileDown: () => Promise<void>): Promise<void>
  stop(): Promise<void>
}

export interface ClusterOptions {
  readonly programs: TemporalServerPrograms
  /** The `temporal` program, which creates the namespace as the images' job does. */
  readonly cli: string
  readonly postgres: PrivatePostgres
  /** Absolute path of a folder, created if it is missing. The server writes its log there. */
  readonly folder: string
  readonly namespace: string
}

const run = promisify(execFile)
const dockerFolder = path.resolve(import.meta.dirname, "../../docker")
/** Starts what docker-compose.yml starts, as processes and with the same jobs: databases, their schema, the server with its services, a namespace. */
export const startTemporalServer = async (options: ClusterOptions): Promise<TemporalCluster> => {
  const { folder, namespace, cli, postgres } = options
  await mkdir(folder, { recursive: true })
  const secrets = await makeSecrets(folder)
  await makeDatabases(options, secrets.folder)
  await prepareSchema(options, secrets.folder)
  const ports = await freePorts()
  const address = `127.0.0.1:${ports.get("FRONTEND_GRPC_PORT")}`
  const launch = () => launchServer(options, { address, ports, password: secrets.temporalPassword })
  let server = await launch()
  try {
    await runJob("temporal-namespace.sh", {
      PATH: pathWith(path.dirname(cli)),
      TEMPORAL_ADDRESS: address,
      NAMESPACE: namespace,
      HOME: folder,
    })
  } catch (error) {
    await end(server)
    throw error
  }
  return {
    address,
    storeUrl: `postgres://adjutant@127.0.0.1:${postgres.port}/adjutant`,
    storePasswordFile: path.join(secrets.folder, "store_password"),
    restart: async (whileDown) => {
      await end(server)
      await whileDown()
      server = await launch()
    },
    stop: () => end(server),
  }
}

interface Launch {
  readonly address: string
  readonly ports: ReadonlyMap<string, number>
  readonly password: string
}

/** Starts the server, and waits until it answers. */
const launchServer = async (
  { programs, postgres, folder }: ClusterOptions,
  { address, ports, password }: Launch,
): Promise<ChildProcess> => {
  const log = createWriteStream(path.join(folder, "temporal-server.log"), { mode: 0o600, flags: "a" })
  const server = spawn(programs.server, ["start"], {
    // The server reads a folder `config` if there is one.
    cwd: folder,
    env: {
      ...serverEnvironment(postgres.port, password),
      ...Object.fromEntries([...ports].map(([name, port]) => [name, String(port)])),
    },
    stdio: ["ignore", "pipe", "pipe"],
  })
  let logTail = ""
  for (const stream of [server.stdout, server.stderr])
    stream.on("data", (chunk: Buffer) => {
      log.write(chunk)
      logTail = (logTail + chunk.toString()).slice(-2_000)
    })
  if (await becomesHealthy(server, address)) return server
  await end(server)
  throw new Error(`the Temporal server ended during its start:\n${logTail}`)
}

/** Returns the variables of the configuration template in the images. */
const serverEnvironment = (databasePort: number, password: string) => ({
  DB: "postgres12",
  POSTGRES_SEEDS: "127.0.0.1",
  DB_PORT: String(databasePort),
  POSTGRES_USER: "temporal",
  POSTGRES_PWD: password,
  NUM_HISTORY_SHARDS: "4",
  BIND_ON_IP: "127.0.0.1",
  LOG_LEVEL: "warn",
  DYNAMIC_CONFIG_FILE_PATH: path.join(dockerFolder, "dynamic-config.yaml"),
})

/** Creates the secrets as `docker/make-secrets.sh` does; containers find them under /run/secrets. */
const makeSecrets = async (folder: string) => {
  const secrets = path.join(folder, "secrets")
  await mkdir(secrets, { mode: 0o700 })
  const temporalPassword = randomBytes(24).toString("hex")
  await writeFile(path.join(secrets, "temporal_password"), `${temporalPassword}\n`)
  await writeFile(path.join(secrets, "store_password"), `${randomBytes(24).toString("hex")}\n`)
  return { folder: secrets, temporalPassword }
}

const makeDatabases = ({ postgres }: ClusterOptions, secrets: string): Promise<void> =>
  runJob("postgres-init.sh", {
    PATH: pathWith(postgres.programs),
    PGHOST: "127.0.0.1",
    PGPORT: String(postgres.port),
    PGPASSWORD: postgres.password,
    POSTGRES_USER: postgres.user,
    SECRETS: secrets,
  })

/** Runs the schema's job twice, since a job may run again: for an upgrade, or after a failure. */
const prepareSchema = async ({ postgres, programs }: ClusterOptions, secrets: string): Promise<void> => {
  const server = { SQL_HOST: "127.0.0.1", SQL_PORT: String(postgres.port), SQL_USER: "temporal" }
  const environment = { PATH: pathWith(), ...server, SECRETS: secrets, TEMPORAL_SQL_TOOL: programs.sql }
  await runJob("temporal-schema.sh", environment)
  await runJob("temporal-schema.sh", environment)
}

const runJob = async (script: string, env: NodeJS.ProcessEnv): Promise<void> => {
  await run("/bin/sh", [path.join(dockerFolder, script)], { env })
}

const pathWith = (...folders: readonly string[]): string =>
  [...folders, process.env["PATH"] ?? "/usr/bin:/bin"].join(path.delimiter)

const portNames = ["FRONTEND", "HISTORY", "MATCHING", "WORKER"].flatMap((service) => [
  `${service}_GRPC_PORT`,
  `${service}_MEMBERSHIP_PORT`,
])

/** Returns free ports below 32768: the server stores its membership ports in a column of 16 bits. */
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

const end = async (server: ChildProcess): Promise<void> => {
  if (server.exitCode !== null || server.signalCode !== null) return
  const ended = once(server, "exit")
  server.kill("SIGTERM")
  const force = setTimeout(() => server.kill("SIGKILL"), 15_000)
  await ended
  clearTimeout(force)
}

import { type ChildProcess, execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { chmod, mkdtemp, readdir, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { promisify } from "node:util"
import pg from "pg"
import { freePort } from "../../server/exposure/choose-ports.ts"

export interface PrivatePostgres {
  /** Folder of the programs, including `psql`. */
  readonly programs: string
  readonly port: number
  readonly user: string
  readonly password: string
  /** Returns the URL of a database, as for `store.url`. */
  url(database: string): string
  /** Executes a query as the superuser. */
  query(sql: string, database?: string): Promise<void>
  /** Restarts the server on the same port, optionally with settings such as `ssl=on`. */
  restart(settings?: readonly string[], whileDown?: () => void): Promise<void>
  /** Ends the server without a checkpoint, as a crash does, and starts it after a while. */
  crash(downMs: number): Promise<void>
  stop(): Promise<void>
}

const debianFolder = "/usr/lib/postgresql"

/** Returns the folder of the newest version installed by Debian's package; undefined if there is none. */
export const findPostgresPrograms = async (): Promise<string | undefined> => {
  const versions = await readdir(debianFolder).catch(() => [])
  const newest = versions
    .map(Number)
    .filter(Number.isFinite)
    .toSorted((a, b) => b - a)[0]
  return newest === undefined ? undefined : path.join(debianFolder, String(newest), "bin")
}

const run = promisify(execFile)

/** Returns the command as another user if this process is root, since PostgreSQL refuses to run as root. */
const asServerUser = (program: string, args: readonly string[]): readonly [string, readonly string[]] =>
  process.getuid?.() === 0
    ? ["setpriv", ["--reuid=nobody", "--regid=nogroup", "--clear-groups", "--", program, ...args]]
    : [program, args]

const user = "postgres"
const password = "not-a-secret"

/** Starts a server on loopback, in a temporary folder. Its data does not survive a power cut, and `stop` deletes it. */
export const startPrivatePostgres = async (programs: string): Promise<PrivatePostgres> => {
  const folder = await mkdtemp(path.join(tmpdir(), "adjutant-postgres-"))
  if (process.getuid?.() === 0) await run("chown", ["nobody:nogroup", folder])
  else await chmod(folder, 0o700)
  const data = path.join(folder, "data")
  const passwordFile = path.join(folder, "password")
  await writeFile(passwordFile, password, { mode: 0o644 })
  const [initdb, initdbArgs] = asServerUser(path.join(programs, "initdb"), [
    ...["-D", data, "-U", user, "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"],
    ...["--auth=scram-sha-256", `--pwfile=${passwordFile}`],
  ])
  await run(initdb, initdbArgs, { cwd: folder })
  const port = await freePort(new Set())
  let server: ChildProcess | undefined

  const url = (database: string): string =>
    `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`

  const start = async (settings: readonly string[]): Promise<void> => {
    const [program, args] = asServerUser(path.join(programs, "postgres"), [
      ...["-D", data, "-p", String(port), "-k", folder],
      ...["listen_addresses=127.0.0.1", "fsync=off", "max_connections=200", "shared_buffers=64MB", ...settings].flatMap(
        (setting) => ["-c", setting],
      ),
    ])
    const started = spawn(program, args, { cwd: folder, stdio: ["ignore", "ignore", "pipe"] })
    server = started
    let log = ""
    started.stderr.setEncoding("utf8").on("data", (text: string) => (log = (log + text).slice(-2000)))
    for (;;) {
      if (started.exitCode !== null) throw new Error(`PostgreSQL ended during its start:\n${log}`)
      if (await answers(url("postgres"))) return
      await delay(50)
    }
  }

  /** SIGINT also ends open connections; SIGQUIT ends every process of the server at once. */
  const stop = async (signal: "SIGINT" | "SIGQUIT" = "SIGINT"): Promise<void> => {
    const running = server
    server = undefined
    if (running === undefined || running.exitCode !== null) return
    const ended = once(running, "exit")
    running.kill(signal)
    await ended
  }

  await start([])
  return {
    programs,
    port,
    user,
    password,
    url,
    query: (sql, database = "postgres") =>
      withClient(url(database), (client) => client.query(sql)).then(() => undefined),
    restart: async (settings = [], whileDown) => {
      await stop()
      whileDown?.()
      await start(settings)
    },
    crash: async (downMs) => {
      await stop("SIGQUIT")
      await delay(downMs)
      await start([])
    },
    stop: async () => {
      await stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const withClient = async <T>(connectionString: string, work: (client: pg.Client) => Promise<T>): Promise<T> => {
  const client = new pg.Client({ connectionString })
  client.on("error", () => undefined)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

const answers = (connectionString: string): Promise<boolean> =>
  withClient(connectionString, (client) => client.query("select 1")).then(
    () => true,
    () => false,
  )

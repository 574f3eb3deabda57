import { type Logger, pino } from "pino"
import type { LoadedConfig } from "../config/loaded-config.ts"
import { createSecretRedact } from "../config/secrets/secrets.ts"
import { storeLocation } from "../store/store-location.ts"
import type { Tool } from "../tools/tool.ts"
import type { RunningWorker } from "../worker/start-worker.ts"
import { commandLineActor } from "./command-line-actor.ts"
import { type Closers, createClosers } from "./host/closers.ts"
import { createHostClient, treeClients } from "./host/host-client.ts"
import { engineGuardOf } from "../client/connect.ts"
import { loadProgramConfig } from "./load-program-config.ts"
import { openConnections } from "./host/open-connections.ts"
import type { OpenedHost } from "./host/opened-host.ts"
import { serveHttp } from "./host/serve-http.ts"
import { startHostWorker, workerModuleLoader } from "./host/start-host-worker.ts"
import { type HeldService, noRole, type Role, takeRole } from "./host/take-role.ts"
import { createProgramWorker, type ProgramWorker } from "./program-worker.ts"
import { runService } from "./run-service.ts"
import { createTreeRegistry, type TreeRegistry } from "./tree-registry.ts"

/** An entry of the worker's log. Other fields depend on what it is about, such as `session_id`. */
export interface LogEntry {
  readonly level: "info" | "warn" | "error" | "fatal"
  readonly msg: string
  readonly [field: string]: unknown
}

const entryFormat = { base: null, timestamp: false, formatters: { level: (level: string) => ({ level }) } } as const

export interface RunWorkerOptions {
  /** Tools of this program, in addition to the built-in ones. Also name them in `connect({customTools})` in programs that start runs. */
  readonly tools?: readonly Tool[]
  /** Where the configuration is looked for; default the working directory. */
  readonly cwd?: string
  readonly configPath?: string
  readonly dataDir?: string
  readonly env?: NodeJS.ProcessEnv
  /** Whether to use a configuration of the project that is not trusted; default: `ADJUTANT_TRUST`. */
  readonly trust?: boolean
  /** Receives each entry of the log; by default, warnings and errors are written to stderr. */
  readonly onLog?: (entry: LogEntry) => void
  /** Lines for a person who waits while a server is started or built. */
  readonly onProgress?: (line: string) => void
}

const loadWorkerConfig = (
  { cwd = process.cwd(), configPath, dataDir, trust, tools }: RunWorkerOptions,
  env: NodeJS.ProcessEnv,
): Promise<LoadedConfig> =>
  loadProgramConfig({ cwd, env, configPath, dataDir, trust, customTools: tools?.map(({ name }) => name) })

const createWorkerLogger = ({ onLog }: RunWorkerOptions): Logger =>
  onLog === undefined
    ? pino({ level: "warn" }, pino.destination(2))
    : pino({ level: "info", ...entryFormat }, { write: (line) => onLog(JSON.parse(line)) })

interface Program {
  readonly options: RunWorkerOptions
  readonly loaded: LoadedConfig
  readonly env: NodeJS.ProcessEnv
  readonly logger: Logger
  readonly closers: Closers
}

/** Becomes the service of the data directory. With PostgreSQL, a worker is one more of the store, beside that of the service of this machine. */
const takeProgramRole = ({ loaded, env, logger }: Program): Promise<Role> =>
  storeLocation(loaded.config.store.url, loaded.dataDir).kind === "postgres"
    ? Promise.resolve(noRole)
    : takeRole({
        ...{ loaded, env, logger, kind: "foreground", signal: new AbortController().signal },
        tell: (line) => logger.warn(line),
      })

/** Opens store, Temporal and client for this process. */
const openProgram = async (
  { loaded, env, logger, closers }: Program,
  onProgress: (line: string) => void,
): Promise<OpenedHost> => {
  const connections = await openConnections(loaded, {
    ...{ env, logger, closers, onProgress },
    identity: `adjutant-worker ${commandLineActor().by}`,
    signal: new AbortController().signal,
  })
  const engine = engineGuardOf({ ...connections, loaded })
  await engine.verify()
  const opened = { ...connections, env, loaded, closers, logger, redact: createSecretRedact(loaded, env), engine }
  const client = createHostClient(opened, { hasWorker: true })
  closers.add(() => client.close())
  return { ...opened, client }
}

/** Serves the socket of the data directory. Closing the program closes it first. */
const serveProgram = async (
  host: OpenedHost,
  {
    service,
    trees,
    worker,
  }: { readonly service: HeldService; readonly trees: TreeRegistry; readonly worker: RunningWorker },
) => {
  const { client, store, env, closers } = host
  const running = runService({
    ...{ ...service, kind: "foreground", client, store, config: host.loaded.config, env, trees },
    http: await serveHttp(host, { onlyLocally: true }),
    actor: commandLineActor(),
    clientOf: treeClients(host),
    drain: () => worker.drain(),
  })
  closers.add(() => running.close())
  return running
}

const start = async (program: Program): Promise<ProgramWorker> => {
  const { options, loaded, env, closers } = program
  const { dataDir, config, customTools } = loaded
  const role = await takeProgramRole(program)
  let isClean = false
  closers.add(() => role.end({ clean: isClean }))
  const { service } = role
  const onProgress = (line: string): void => {
    service?.begun.mcp.progress(line)
    options.onProgress?.(line)
  }
  const loadWorker = workerModuleLoader(env, onProgress)
  loadWorker().catch(() => undefined)
  const host = await openProgram(program, onProgress)
  const trees = createTreeRegistry({ dataDir, config, customTools, store: host.store, env })
  const tools = options.tools ?? []
  const worker = await startHostWorker(host, await loadWorker(), { logsEngine: true, trees, tools })
  const running = service === undefined ? undefined : await serveProgram(host, { service, trees, worker })
  const close = async (): Promise<void> => {
    isClean = true
    await closers.closeAll()
  }
  return createProgramWorker({ worker, ended: running?.ended, close, logger: program.logger })
}

/**
 * Runs a worker inside this program until `stop`: finds or starts Temporal, opens the store, and carries out every session of it. The program is the service
 * of its data directory meanwhile: commands use it, with its tools, and a service that a command has started hands over to it. If another program, `serve`,
 * `worker` or `dev` is the service, this worker works in addition to it; with PostgreSQL it is one more worker of the store.
 * Rejects with `AdjutantError`.
 */
export const runWorker = async (options: RunWorkerOptions = {}): Promise<ProgramWorker> => {
  const env = { ...(options.env ?? process.env) }
  const loaded = await loadWorkerConfig(options, env)
  const closers = createClosers()
  try {
    return await start({ options, loaded, env, logger: createWorkerLogger(options), closers })
  } catch (error) {
    await closers.closeAll().catch(() => undefined)
    throw error
  }
}

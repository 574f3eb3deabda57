import { thisMachine } from "../engine/workers/machine.ts"
import { pino } from "pino"
import { loadConfig } from "../config/load-config.ts"
import { readEncryptionKeys } from "../config/secrets/encryption-keys.ts"
import { createSecretRedact } from "../config/secrets/secrets.ts"
import { createTemporalUrl } from "../domain/engine/temporal-url.ts"
import { refuseNewEngine } from "../sessions/engine/refuse-new-engine.ts"
import { connectTemporal } from "../server/connection/connect-temporal.ts"
import { codecOf, converterOf } from "../server/encryption/configured-codec.ts"
import { ensureServer } from "../server/ensure-server.ts"
import { livenessOf, placeOf } from "../server/running-server.ts"
import { openStore } from "../store/open-store.ts"
import type { Tool } from "../tools/tool.ts"
import { installRuntime } from "../worker/runtime.ts"
import { confinesCommands } from "../worker/detect-sandbox.ts"
import { type RunningWorker, startWorker } from "../worker/start-worker.ts"
import { configuredSurroundings } from "../worker/trees/configured-surroundings.ts"

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

/**
 * Runs a worker inside this program: finds or starts Temporal, opens the store, and serves every session of it until `stop`.
 * Rejects with `AdjutantError`.
 */
export const runWorker = async (options: RunWorkerOptions = {}): Promise<RunningWorker> => {
  const env = options.env ?? { ...process.env }
  const { cwd = process.cwd(), configPath, onProgress } = options
  const trust = { isGiven: options.trust, confinesCommands }
  const loaded = await loadConfig({ cwd, env, configPath, dataDir: options.dataDir, trust })
  const { config, dataDir } = loaded
  const { onLog } = options
  const logger =
    onLog === undefined
      ? pino({ level: "warn" }, pino.destination(2))
      : pino({ level: "info", ...entryFormat }, { write: (line) => onLog(JSON.parse(line)) })
  await using closers = new AsyncDisposableStack()
  const store = await openStore({ url: config.store.url, dataDir, env })
  closers.defer(() => store.close())
  const beforeNewEngine = (place: string) => refuseNewEngine(store, place)
  const server = await ensureServer({ dataDir, env, purpose: "worker", beforeNewEngine, onProgress })
  closers.defer(() => server.release())
  const codec = await codecOf(await readEncryptionKeys(loaded, env))
  const temporal = await connectTemporal(server, env, converterOf(codec))
  closers.defer(() => temporal.close())
  installRuntime(logger, { env })
  const worker = await startWorker({
    connection: await temporal.nativeConnection(),
    namespace: server.namespace,
    codec,
    temporal: temporal.client,
    store,
    dataDir,
    ...configuredSurroundings(loaded, env),
    logger,
    redact: createSecretRedact(loaded, env),
    slots: config.worker,
    shutdownGraceMs: config.timing.shutdownGraceMs,
    liveness: livenessOf(server),
    machine: thisMachine(env, { isEmbedded: server.kind === "embedded" }),
    temporalUrl: createTemporalUrl(server),
    address: placeOf(server, dataDir),
    tools: options.tools,
  })
  const opened = closers.move()
  return {
    ...worker,
    async stop() {
      await worker.stop()
      await opened.disposeAsync()
    },
  }
}

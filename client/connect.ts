import path from "node:path"
import type { EngineGuard } from "../engine/engine-guard.ts"
import { thisMachine } from "../engine/workers/machine.ts"
import type { LoadedConfig } from "../config/loaded-config.ts"
import { readEncryptionKeys } from "../config/secrets/encryption-keys.ts"
import { createSecretRedact } from "../config/secrets/secrets.ts"
import { createTemporalUrl } from "../domain/engine/temporal-url.ts"
import { taskQueueOf } from "../domain/engine/engine-names.ts"
import { createEngineGuard } from "../sessions/engine/create-engine-guard.ts"
import { refuseNewEngine } from "../sessions/engine/refuse-new-engine.ts"
import { connectTemporal, type TemporalConnections } from "../server/connection/connect-temporal.ts"
import { codecOf, converterOf } from "../server/encryption/configured-codec.ts"
import { ensureServer } from "../server/ensure-server.ts"
import { livenessOf, placeOf, type RunningServer } from "../server/running-server.ts"
import type { ProgramLink } from "../service/link-program.ts"
import { loadProgramConfig } from "../service/load-program-config.ts"
import { openStore } from "../store/open-store.ts"
import type { Store } from "../store/store.ts"
import { type AdjutantClient, createClient } from "./create-client.ts"

export interface ConnectOptions {
  /** Where the search for the configuration starts; default: the working directory. */
  readonly cwd?: string
  readonly configPath?: string
  readonly dataDir?: string
  readonly env?: NodeJS.ProcessEnv
  /** Whether to use a configuration of the project that is not trusted; default: `ADJUTANT_TRUST`. */
  readonly trust?: boolean
  /** Names of the tools that a worker of yours provides, in this program or in another one. With them, the client does not start the service. */
  readonly customTools?: readonly string[]
  /** Gets lines of progress while a server is started or built. */
  readonly onProgress?: (line: string) => void
}

interface Surroundings {
  readonly options: ConnectOptions & { readonly cwd: string }
  readonly loaded: LoadedConfig
  readonly env: NodeJS.ProcessEnv
  hasWorker(): Promise<boolean>
}

const linkService = async ({
  options: { cwd, configPath, trust, onProgress },
  loaded,
  env,
  hasWorker,
}: Surroundings): Promise<ProgramLink> => {
  const { linkProgram } = await import("../service/link-program.ts")
  const { givenVariables } = await import("../service/read-service-start.ts")
  const config = configPath === undefined ? [] : ["--config", path.resolve(cwd, configPath)]
  return linkProgram({
    loaded,
    env,
    start: {
      cwd,
      argv: ["--data-dir", loaded.dataDir, ...config, ...(trust === true ? ["--trust"] : [])],
      env: givenVariables(env),
    },
    onProgress: onProgress ?? (() => undefined),
    hasWorker,
  })
}

/** The service of the data directory, which is started where no worker is running for what the client requests. */
const serviceOnDemand = (surroundings: Surroundings): ProgramLink => {
  let link: Promise<ProgramLink> | undefined
  return {
    requireWorker: async () => await (await (link ??= linkService(surroundings))).requireWorker(),
    close: async () => await (await link)?.close(),
  }
}

/** What a process has opened for its client. */
interface Opened {
  readonly env: NodeJS.ProcessEnv
  readonly loaded: LoadedConfig
  readonly server: RunningServer
  readonly temporal: Pick<TemporalConnections, "client">
  readonly store: Store
  readonly engine: EngineGuard
}

/** Returns what compares the connected engine with that of the store. */
export const engineGuardOf = ({
  server,
  temporal,
  store,
  loaded: { config, dataDir },
}: Omit<Opened, "env" | "engine">): EngineGuard =>
  createEngineGuard({
    temporal: temporal.client,
    store,
    address: placeOf(server, dataDir),
    checkEveryMs: config.timing.engineCheckMs,
  })

type ClientOptions = Parameters<typeof createClient>[0]

/** Creates the client of a process that has opened everything. */
export const createConnectedClient = ({
  server,
  temporal,
  ...own
}: Opened & Pick<ClientOptions, "redact" | "requireWorker" | "resolveRun">): AdjutantClient =>
  createClient({
    ...own,
    temporal: temporal.client,
    hasSearchAttributes: server.hasSearchAttributes,
    taskQueue: taskQueueOf(own.store.storeId),
    liveness: livenessOf(server),
    machine: thisMachine(own.env, { isEmbedded: server.kind === "embedded" }),
    temporalUrl: createTemporalUrl(server),
  })

/**
 * Connects a program to Adjutant: finds or starts Temporal, opens the store, and returns the client. `close` closes everything.
 * Rejects with `AdjutantError`; `engine_mismatch` if the store belongs to another Temporal. Where no worker is running (`adjutant worker`, `adjutant dev`, or
 * `runWorker` of `adjutant/worker`), the service of the data directory is started for what a worker has to carry out, after the request was checked. With
 * `customTools` it is not: the service does not have the tools of the program.
 */
export const connect = async (options: ConnectOptions = {}): Promise<AdjutantClient> => {
  const env = options.env ?? { ...process.env }
  const cwd = path.resolve(options.cwd ?? process.cwd())
  const { configPath, trust, customTools } = options
  const loaded = await loadProgramConfig({ cwd, env, configPath, dataDir: options.dataDir, trust, customTools })
  const { config, dataDir } = loaded
  await using closers = new AsyncDisposableStack()
  const store = await openStore({ url: config.store.url, dataDir, env })
  closers.defer(() => store.close())
  const server = await ensureServer({
    dataDir,
    env,
    purpose: "library",
    beforeNewEngine: (place) => refuseNewEngine(store, place),
    ...(options.onProgress === undefined ? {} : { onProgress: options.onProgress }),
  })
  closers.defer(() => server.release())
  const codec = await codecOf(await readEncryptionKeys(loaded, env))
  const temporal = await connectTemporal(server, env, converterOf(codec))
  closers.defer(() => temporal.close())
  const engine = engineGuardOf({ server, temporal, store, loaded })
  await engine.verify()
  const service = serviceOnDemand({
    ...{ options: { ...options, cwd }, loaded, env },
    hasWorker: () => client.hasWorker(),
  })
  const client: AdjutantClient = createConnectedClient({
    ...{ env, loaded, server, temporal, store, engine },
    redact: createSecretRedact(loaded, env),
    // The service does not have the tools of this program: its own worker runs them.
    requireWorker: options.customTools === undefined ? service.requireWorker : undefined,
  })
  closers.defer(service.close)
  const opened = closers.move()
  return {
    ...client,
    async close() {
      await client.close()
      await opened.disposeAsync()
    },
  }
}

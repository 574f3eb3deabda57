import path from "node:path"
import { thisMachine } from "../engine/workers/machine.ts"
import { loadConfig } from "../config/load-config.ts"
import { readEncryptionKeys } from "../config/secrets/encryption-keys.ts"
import { createSecretRedact } from "../config/secrets/secrets.ts"
import { createTemporalUrl } from "../domain/engine/temporal-url.ts"
import { taskQueueOf } from "../domain/engine/engine-names.ts"
import { createEngineGuard } from "../sessions/engine/create-engine-guard.ts"
import { refuseNewEngine } from "../sessions/engine/refuse-new-engine.ts"
import { connectTemporal } from "../server/connection/connect-temporal.ts"
import { codecOf, converterOf } from "../server/encryption/configured-codec.ts"
import { ensureServer } from "../server/ensure-server.ts"
import { livenessOf, placeOf } from "../server/running-server.ts"
import { openStore } from "../store/open-store.ts"
import { type AdjutantClient, createClient } from "./create-client.ts"

export interface ConnectOptions {
  /** Where the search for the configuration starts; default: the working directory. */
  readonly cwd?: string
  readonly configPath?: string
  readonly dataDir?: string
  readonly env?: NodeJS.ProcessEnv
  /** Whether to use a configuration of the project that is not trusted; default: `ADJUTANT_TRUST`. */
  readonly trust?: boolean
  /** Names of the tools that the workers of this program provide. */
  readonly customTools?: readonly string[]
  /** Gets lines of progress while a server is started or built. */
  readonly onProgress?: (line: string) => void
}

/** Starts the service of a data directory, as a command does. It outlives this program. */
const startService = async (
  { cwd = process.cwd(), configPath, trust, onProgress }: ConnectOptions,
  { dataDir, env }: { readonly dataDir: string; readonly env: NodeJS.ProcessEnv },
): Promise<void> => {
  const { ensureService } = await import("../service/start-service.ts")
  const config = configPath === undefined ? [] : ["--config", path.resolve(cwd, configPath)]
  await ensureService({
    dataDir,
    start: {
      cwd,
      argv: ["--data-dir", dataDir, ...config, ...(trust === true ? ["--trust"] : [])],
      env: Object.fromEntries(
        Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
      ),
    },
    nodeOptions: [],
    onProgress: onProgress ?? (() => undefined),
    signal: new AbortController().signal,
  })
}

/** Returns the client with a worker for what it starts, sends and decides, which would wait for ever without one. */
const withWorker = (client: AdjutantClient, start: () => Promise<void>): AdjutantClient => {
  const working =
    <Input extends readonly unknown[], Result>(act: (...input: Input) => Promise<Result>) =>
    async (...input: Input): Promise<Result> => {
      if (!(await client.hasWorker())) await start()
      return await act(...input)
    }
  return {
    ...client,
    start: working(client.start),
    send: working(client.send),
    decide: working(client.decide),
    fork: working(client.fork),
  }
}

/**
 * Connects a program to Adjutant: finds or starts Temporal, opens the store, and returns the client. `close` closes everything.
 * Rejects with `AdjutantError`; `engine_mismatch` if the store belongs to another Temporal. Where no worker is running (`adjutant worker`, `adjutant dev`, or
 * `runWorker` of `adjutant/worker`), what gives a worker something to do starts the service of the data directory first.
 */
export const connect = async (options: ConnectOptions = {}): Promise<AdjutantClient> => {
  const env = options.env ?? { ...process.env }
  const loaded = {
    ...(await loadConfig({
      cwd: options.cwd ?? process.cwd(),
      env,
      ...(options.trust === undefined ? {} : { trust: { isGiven: options.trust } }),
      ...(options.configPath === undefined ? {} : { configPath: options.configPath }),
      ...(options.dataDir === undefined ? {} : { dataDir: options.dataDir }),
    })),
    ...(options.customTools === undefined ? {} : { customTools: options.customTools }),
  }
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
  const engine = createEngineGuard({
    temporal: temporal.client,
    store,
    address: placeOf(server, dataDir),
    checkEveryMs: config.timing.engineCheckMs,
  })
  await engine.verify()
  const client = createClient({
    temporal: temporal.client,
    store,
    loaded,
    env,
    hasSearchAttributes: server.hasSearchAttributes,
    taskQueue: taskQueueOf(store.storeId),
    liveness: livenessOf(server),
    machine: thisMachine(env, { isEmbedded: server.kind === "embedded" }),
    temporalUrl: createTemporalUrl(server),
    redact: createSecretRedact(loaded, env),
    engine,
  })
  const opened = closers.move()
  return {
    // The service does not have the tools of this program: its own worker runs them.
    ...(options.customTools === undefined ? withWorker(client, () => startService(options, { dataDir, env })) : client),
    async close() {
      await client.close()
      await opened.disposeAsync()
    },
  }
}

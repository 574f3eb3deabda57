import path from "node:path"
import { createClient } from "../../client/create-client.ts"
import { newSessionId, sessionIdLengths } from "../../sessions/session-id.ts"
import { loadConfig } from "../../config/load-config.ts"
import { collectSecrets } from "../../config/secrets/secrets.ts"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import { taskQueueOf } from "../../domain/engine/engine-names.ts"
import { redact } from "../../domain/text/redact.ts"
import { createEngineGuard } from "../../sessions/engine/create-engine-guard.ts"
import { refuseNewEngine } from "../../sessions/engine/refuse-new-engine.ts"
import { openedEngine } from "../../mcp/engine/engine-access.ts"
import { toolsetNames } from "../../mcp/mcp-context.ts"
import { connectTemporal } from "../../server/connection/connect-temporal.ts"
import { ensureServer } from "../../server/ensure-server.ts"
import { placeOf } from "../../server/server-place.ts"
import { openStore } from "../../store/open-store.ts"
import type { Store } from "../../store/store.ts"
import { commandLineActor } from "../actor.ts"
import { announceHost } from "./announce-host.ts"
import type { HostContext } from "../program/command.ts"
import type { HostOptions } from "../program/cli-context.ts"
import { createClosers } from "./closers.ts"
import { createLogger } from "../program/logger.ts"
import { resolveWhereConfined } from "./resolve-where-confined.ts"
import { packageRoot } from "../program/package-root.ts"
import { packageVersion } from "../program/package-version.ts"
import type { HostWorker, SessionHost, WorkerRequest } from "./session-host.ts"

/** Enough for a call that is as good as done. */
const hastyGraceMs = 1_000

/** The composition root of the commands. What is open when something fails is closed again. */
export const openSessionHost = async (context: HostContext, hostOptions: HostOptions): Promise<SessionHost> => {
  const closers = createClosers()
  try {
    return await open(context, hostOptions, closers)
  } catch (error) {
    await closers.closeAll().catch(() => undefined)
    throw error
  }
}

const open = async (
  { env, cwd, io, options, interrupts }: HostContext,
  hostOptions: HostOptions,
  closers: ReturnType<typeof createClosers>,
): Promise<SessionHost> => {
  const { place = { cwd, config: options.config, dataDir: options.dataDir } } = hostOptions
  const loaded = await loadConfig({ cwd: place.cwd, configPath: place.config, dataDir: place.dataDir, env })
  const { config, models, dataDir } = loaded
  const secrets = collectSecrets(config, models, env)
  const redactText = (text: string): string => redact(text, secrets)
  const logger = createLogger({
    sink: io.stderr,
    verbose: options.verbose,
    format: hostOptions.daemon === true && io.stderr.isTTY !== true ? "json" : "lines",
    redact: redactText,
  })
  const say = (line: string): void => void io.stderr.write(`${line}\n`)
  const onProgress = (line: string): void => {
    say(line)
    hostOptions.onProgress?.(line)
  }
  const signal = AbortSignal.any([interrupts.signal, ...(hostOptions.signal === undefined ? [] : [hostOptions.signal])])
  // Loading the native library and the workflow bundle takes as long as connecting does.
  const loadWorker = once(() => loadWorkerModules(env, say))
  if (hostOptions.worker === true) loadWorker().catch(() => undefined)
  const opening = openStore({ url: config.store.url, dataDir, env }).then((store) => {
    closers.add(() => store.close())
    return store
  })
  const connecting = (async () => {
    const beforeNewEngine = async (file: string) =>
      hostOptions.mayMeet === "new" ? undefined : refuseNewEngine(await opening, file)
    const server = await ensureServer({ dataDir, env, logger, onProgress, signal, beforeNewEngine })
    closers.add(() => server.release())
    const temporal = await connectTemporal(server, env, { identity: `adjutant-cli ${commandLineActor().by}` })
    closers.add(() => temporal.close())
    return { server, temporal }
  })()
  // Both end before anything is closed, whichever fails.
  const [connected, opened] = await Promise.allSettled([connecting, opening])
  if (connected.status === "rejected") throw connected.reason
  if (opened.status === "rejected") throw opened.reason
  const { server, temporal } = connected.value
  const store = opened.value
  const engine = createEngineGuard({
    temporal: temporal.client,
    store,
    address: placeOf(server, dataDir),
    checkEveryMs: config.timing.engineCheckMs,
  })
  if (hostOptions.mayMeet === undefined) await engine.verify()
  const client = createClient({
    temporal: temporal.client,
    store,
    loaded,
    env,
    hasSearchAttributes: server.hasSearchAttributes,
    taskQueue: taskQueueOf(store.storeId),
    engine,
    ...(hostOptions.worker === true
      ? { resolveRun: resolveWhereConfined(async () => (await loadWorker()).requireSandbox(config)) }
      : {}),
  })
  closers.add(() => client.close())
  const startHostWorker = async ({ rootId, leavesAtOnce }: WorkerRequest = {}): Promise<HostWorker> => {
    const { startWorker, installRuntime, sandboxSettingsOf } = await loadWorker()
    // The engine's own warnings tell of failed activities and runs, which the outcome tells better.
    installRuntime(options.verbose || hostOptions.daemon === true ? logger : logger.child({}, { level: "error" }))
    const worker = await startWorker({
      connection: await temporal.nativeConnection(),
      namespace: server.namespace,
      temporal: temporal.client,
      engine,
      timing: config.timing,
      store,
      dataDir,
      env,
      logger,
      redact: redactText,
      allowBinaryAgents: config.security.allowBinaryAgents,
      sandboxes: sandboxSettingsOf(config),
      shutdownGraceMs: leavesAtOnce === true ? hastyGraceMs : config.timing.shutdownGraceMs,
      ...(rootId === undefined ? {} : { hostFor: rootId }),
    })
    closers.add(() => worker.stop())
    return worker
  }
  return {
    loaded,
    server,
    store,
    client,
    newSessionId: () => freeSessionId(store),
    startWorker: startHostWorker,
    serveHttp: async (listen = {}) => {
      const { createHttpServer } = await import("../../http/create-http-server.ts")
      const { createMcpHttpEndpoint } = await import("../../mcp/transport/http-endpoint.ts")
      const mcp = createMcpHttpEndpoint({
        engine: openedEngine({ client, store }),
        loaded,
        toolsets: toolsetNames,
        logger,
        redact: redactText,
        version: packageVersion(),
      })
      const http = await createHttpServer({
        client,
        store,
        loaded,
        env,
        logger,
        temporalUiUrl: server.uiUrl,
        mcp,
        webRoot: path.join(packageRoot(), "web"),
        ...listen,
      })
      closers.add(() => mcp.close())
      closers.add(() => http.close())
      return await http.listen()
    },
    announceHost: (rootId, queue) => announceHost({ store, temporal: temporal.client, logger }, rootId, queue),
    redact: redactText,
    warn: (message) => logger.warn(message),
    close: () => closers.closeAll(),
  }
}

const loadWorkerModules = async (env: NodeJS.ProcessEnv, onProgress: (line: string) => void) => {
  const [{ startWorker }, { installRuntime }, { findWorkflowBundle }, { requireSandbox, sandboxSettingsOf }] =
    await Promise.all([
      import("../../worker/start-worker.ts"),
      import("../../worker/runtime.ts"),
      import("../../worker/workflow-bundle.ts"),
      import("../../worker/detect-sandbox.ts"),
    ])
  await findWorkflowBundle(env, onProgress)
  return { startWorker, installRuntime, requireSandbox, sandboxSettingsOf }
}

const once = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}

/** Made longer where it is taken. */
const freeSessionId = async (store: Pick<Store, "sessions">): Promise<string> => {
  for (const length of sessionIdLengths) {
    const id = newSessionId(length)
    if ((await store.sessions.get(id)) === undefined) return id
  }
  throw new AdjutantError("storage_failed", "No free session id was found; try again.")
}

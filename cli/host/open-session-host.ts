import { thisMachine } from "../../engine/workers/machine.ts"
import { oncePerProject } from "../../domain/once-per-project.ts"
import { unknownAgents } from "../../sessions/profiles/unknown-agents.ts"
import { defaultRunProblem } from "../../sessions/settings/default-run-problem.ts"
import { freeSessionId } from "../../sessions/session-id.ts"
import type { HostOptions, SessionHost } from "./hosts.ts"
import { commandLineActor } from "../../service/command-line-actor.ts"
import type { CliContext } from "../program/cli-context.ts"
import { requireTargetInStore } from "./open-store-host.ts"
import { loadHostConfig } from "../program/load-host-config.ts"
import { createRedactingLogger } from "../program/redacting-logger.ts"
import { createProgressLines } from "../terminal/progress-lines.ts"
import { type Closers, createClosers } from "../../service/host/closers.ts"
import { openConnections } from "../../service/host/open-connections.ts"
import type { OpenedHost } from "../../service/host/opened-host.ts"
import { serveHttp } from "../../service/host/serve-http.ts"
import { startHostWorker, type WorkerModules, workerModuleLoader } from "../../service/host/start-host-worker.ts"
import { createHostClient, treeClients } from "../../service/host/host-client.ts"
import { engineGuardOf } from "../../client/connect.ts"

/** Opens store, Temporal and client for this process, and puts them together. If a part fails, those that are open are closed. */
export const openSessionHost = async (context: CliContext, hostOptions: HostOptions): Promise<SessionHost> => {
  const closers = createClosers()
  try {
    return await open(context, hostOptions, closers)
  } catch (error) {
    await closers.closeAll().catch(() => undefined)
    throw error
  }
}

const open = async (context: CliContext, hostOptions: HostOptions, closers: Closers): Promise<SessionHost> => {
  const { env, options } = context
  await requireTargetInStore(context, hostOptions)
  const loaded = await loadHostConfig(context, hostOptions)
  await hostOptions.check?.(loaded)
  const isDaemon = hostOptions.daemon === true
  const progress = createProgressLines(context)
  const { logger, redact } = createRedactingLogger(context, loaded, { daemon: isDaemon })
  const problem = isDaemon ? defaultRunProblem(loaded, env) : undefined
  if (problem !== undefined) logger.warn(`runs that name no model are refused: ${problem}`)
  const onProgress = (line: string): void => {
    progress.show(line)
    hostOptions.onProgress?.(line)
  }
  // Loading the native library and the workflow bundle takes as long as connecting does.
  const loadWorker = workerModuleLoader(env, onProgress)
  if (hostOptions.worker === true) loadWorker().catch(() => undefined)
  const identity = `adjutant-cli ${commandLineActor().by}`
  const { signal } = context.interrupts
  const { acceptsEngine } = hostOptions
  const connecting = openConnections(loaded, {
    ...{ env, identity, signal, logger, closers, onProgress },
    acceptsNewEngine: acceptsEngine === "new",
  })
  const connections = await connecting.finally(progress.end)
  if (isDaemon || hostOptions.worker === true)
    for (const unknown of await unknownAgents({ loaded, store: connections.store, logger }))
      logger.warn(oncePerProject, unknown)
  const engine = engineGuardOf({ ...connections, loaded })
  if (acceptsEngine === undefined) await engine.verify()
  const common = { ...connections, env, loaded, closers, logger, redact, engine }
  const opened = {
    ...common,
    client: createHostClient(common, { hasWorker: hostOptions.worker === true }),
  }
  closers.add(() => opened.client.close())
  return createSessionHost(context, opened, { loadWorker, logsEngine: options.verbose || isDaemon })
}

const createSessionHost = (
  context: CliContext,
  opened: OpenedHost,
  { loadWorker, logsEngine }: { readonly loadWorker: () => Promise<WorkerModules>; readonly logsEngine: boolean },
): SessionHost => {
  const { loaded, server, store, client, logger, redact, closers } = opened
  return {
    loaded,
    server,
    store,
    client,
    machine: thisMachine(context.env, { isEmbedded: server.kind === "embedded" }),
    newSessionId: () => freeSessionId(async (id) => (await store.sessions.get(id)) !== undefined),
    clientFor: treeClients(opened),
    startWorker: async (request) => startHostWorker(opened, await loadWorker(), { ...request, logsEngine }),
    serveHttp: (listen = {}) => serveHttp(opened, listen),
    handOver: async (rootId) =>
      (await import("../service/hand-over-tree.ts")).handOverTree(context, loaded, { client, rootId }),
    redact,
    warn: (message) => logger.warn(message),
    close: () => closers.closeAll(),
  }
}

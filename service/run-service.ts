import type { IncomingMessage, ServerResponse } from "node:http"
import { flushCompileCache } from "node:module"
import type { AdjutantClient } from "../client/create-client.ts"
import type { Config } from "../contracts/config/config.ts"
import {
  serviceApi,
  type ServiceKind,
  type StopService,
  type StopServiceAnswer,
} from "../contracts/service/service-status.ts"
import { treeHeader } from "../contracts/service/tree-registration.ts"
import type { HttpServer } from "../http/create-http-server.ts"
import type { Actor } from "../sessions/actor.ts"
import { fullAuthority } from "../domain/caller/authority.ts"
import { rotateLog } from "../server/process/append-log.ts"
import { writeWhole } from "../server/process/server-files.ts"
import { packageVersion } from "../worker/package-version.ts"
import type { ServiceHold } from "./hold-service.ts"
import { endsWithLastCommand, readWork, watchIdle, watchSchedules } from "./idle.ts"
import { sendJson, type ServedSocket, serveSocket } from "./serve-socket.ts"
import { createMcpClients, type McpClients, type McpClientsOptions } from "./mcp/serve-mcp-clients.ts"
import type { Store } from "../store/store.ts"
import type { TreeReading, TreeRegistry } from "./tree-registry.ts"
import { serviceFiles, socketPath } from "./service-files.ts"

/** The HTTP API of this process, which also answers over the socket of the service. */
export interface ServedHttp extends Pick<HttpServer, "answerLocally" | "pageLink" | "close"> {
  /** Undefined if it does not listen. */
  readonly url: string | undefined
  /** Returns what is wrong with the destinations of `notify`, once their services have said so. */
  problems(): readonly string[]
}

/** What a service needs to answer. */
export interface ServedApi {
  readonly client: Pick<AdjutantClient, "counts" | "deliveries" | "channels" | "schedules">
  readonly config: Config
  readonly env: Readonly<Record<string, string | undefined>>
  readonly http: ServedHttp
  /** The user of this process, as whom commands act. */
  readonly actor: Actor
  /** Returns the client that uses what the command of a tree has read, the same one for the same reading. */
  clientOf(reading: TreeReading): AdjutantClient
}

export interface ServiceOptions extends ServedApi {
  readonly hold: ServiceHold
  readonly kind: ServiceKind
  readonly begun: BegunService
  readonly store: Store
  readonly trees: Pick<TreeRegistry, "register" | "readOf" | "expectsTask" | "forgetEnded">
  /** Lets no further call begin, and resolves when those in flight have ended. */
  drain(): Promise<void>
}

/** Why a service ends by itself. */
export interface ServiceEnd {
  readonly by: "stop" | "idle"
  /** Calls in flight are not waited for. */
  readonly now: boolean
}

export interface RunningService {
  /** Resolves when the service is to end. */
  readonly ended: Promise<ServiceEnd>
  /** Accepts no more requests. The lock stays, until everything that the process has opened is closed. */
  close(): Promise<void>
}

const lookEveryMs = 5_000
const upkeepEveryMs = 60_000
/** How long accepted requests can take when the service ends. */
const closeGraceMs = 5_000
/** With `idleMinutes` 0 the last command ends the service. If that command was killed, the service ends by itself after this time. */
const abandonedMs = 60_000

/** Returns how long the service waits when nothing runs, in milliseconds. */
const idleMsOf = ({ config, env }: Pick<ServedApi, "config" | "env">): number =>
  endsWithLastCommand(config, env) ? abandonedMs : config.service.idleMinutes * 60_000

/** Passes a request to the HTTP API, with the client of the tree that it names. A service that was restarted answers 503: the command registers the tree again. */
const answerApiRequest = (
  { http, trees, actor: user, clientOf }: ServiceOptions,
  request: IncomingMessage,
  response: ServerResponse,
): void => {
  const actor = { kind: "person" as const, authority: fullAuthority, ...user }
  const rootId = request.headers[treeHeader]
  if (typeof rootId !== "string") return http.answerLocally(request, response, { actor })
  const reading = trees.readOf(rootId)
  if (reading === undefined)
    return sendJson(response, 503, {
      code: "service_unavailable",
      error: "the service does not know the task any more",
    })
  http.answerLocally(request, response, { actor, tree: { rootId, client: clientOf(reading) } })
}

/** Returns whether the service is to end, and if not, why. */
const decideStop = async (
  { kind, client, config }: ServiceOptions,
  { by, leaves_deliveries: leaves }: StopService,
  others: number,
): Promise<StopServiceAnswer> => {
  if (by !== "last-command") return { stopping: true, waits: null }
  if (kind === "foreground" || others > 0) return { stopping: false, waits: "other-commands" }
  const { counts, delivers } = await readWork(client, config)
  if (counts.running + counts.pending > 0) return { stopping: false, waits: "runs" }
  return delivers && leaves !== true ? { stopping: false, waits: "deliveries" } : { stopping: true, waits: null }
}

/** A service that still starts. MCP clients can connect already, and get answers that need neither store nor Temporal. */
export interface BegunService {
  readonly socket: ServedSocket
  readonly mcp: McpClients
  close(): Promise<void>
}

/** Opens the socket for the holder of the lock. */
export const beginService = async (
  hold: ServiceHold,
  { kind, ...options }: McpClientsOptions & { readonly kind: ServiceKind },
): Promise<BegunService> => {
  const mcp = createMcpClients(options)
  const path = socketPath(hold.dataDir)
  const socket = await serveSocket(path, mcp.serve)
  hold.publish({ socket: path, pid: process.pid, version: packageVersion(), kind })
  const close = async (): Promise<void> => {
    await mcp.close()
    await socket.close(closeGraceMs)
  }
  let closed: Promise<void> | undefined
  return { socket, mcp, close: () => (closed ??= close()) }
}

/** Serves the socket of a data directory with everything that is open now, until it is stopped or nothing needs it. */
export const runService = (options: ServiceOptions): RunningService => {
  const { hold, kind, client, config, http, trees, store, clientOf, begun } = options
  const { socket, mcp } = begun
  const { promise: stopped, resolve: stop } = Promise.withResolvers<ServiceEnd>()
  const startedAt = new Date().toISOString()
  const schedules = watchSchedules(client)
  socket.answerWith({
    status: async () => {
      const { counts, keptBy } = await readWork(client, config)
      const { running, pending, paused } = counts
      return {
        ...{
          pid: process.pid,
          version: packageVersion(),
          api: serviceApi,
          kind,
          started_at: startedAt,
          url: http.url ?? null,
        },
        ...{ running, pending, paused },
        problems: [...http.problems()],
        kept_by: kind === "foreground" ? "it runs in the foreground" : (keptBy ?? schedules.keptBy() ?? null),
      }
    },
    mayStop: (request, others) => decideStop(options, request, others),
    stop: ({ now, by }) => {
      if (by === "person") writeWhole(serviceFiles(hold.dataDir).stopped, { pid: process.pid })
      const end = () => stop({ by: by === "last-command" ? "idle" : "stop", now })
      if (by === "newer-build") void options.drain().finally(end)
      else end()
    },
    register: trees.register,
    pageLink: () => ({ url: http.url ?? null, link: (http.url === undefined ? undefined : http.pageLink()) ?? null }),
    answer: (request, response) => answerApiRequest(options, request, response),
  })
  const idleMs = idleMsOf(options)
  const idle = watchIdle(
    async () =>
      kind === "foreground" ||
      socket.connections() > 0 ||
      trees.expectsTask() ||
      (await readWork(client, config)).keptBy !== undefined ||
      (await schedules.look()),
    { idleMs, everyMs: Math.min(lookEveryMs, idleMs / 4) },
  )
  const upkeep = setInterval(() => {
    rotateLog(serviceFiles(hold.dataDir).log)
    // Otherwise only a process that ends by itself keeps what it has compiled, and after one that was killed the next one starts more slowly.
    flushCompileCache()
    // It is tried again the next time.
    trees.forgetEnded().catch(() => undefined)
  }, upkeepEveryMs)
  mcp.open({ store, trees, clientOf })
  return {
    ended: Promise.race([stopped, idle.idle.then((): ServiceEnd => ({ by: "idle", now: false }))]),
    close: async () => {
      idle.stop()
      clearInterval(upkeep)
      await Promise.all([http.close(), begun.close()])
    },
  }
}

import type { IncomingMessage, ServerResponse } from "node:http"
import type { AdjutantClient } from "../client/create-client.ts"
import type { Config } from "../contracts/config/config.ts"
import { serviceApi, type ServiceKind } from "../contracts/service/service-status.ts"
import { rotateLog } from "../server/process/append-log.ts"
import { packageVersion } from "../worker/package-version.ts"
import type { ServiceHold } from "./hold-service.ts"
import { readWork, watchIdle } from "./idle.ts"
import { serveSocket } from "./serve-socket.ts"
import type { TreeRegistry } from "./tree-registry.ts"
import { serviceFiles, socketPath } from "./service-files.ts"

/** What a service serves: everything is open, and a worker runs. */
export interface ServedApi {
  readonly client: Pick<AdjutantClient, "counts" | "deliveries" | "channels">
  readonly config: Config
  readonly env: Readonly<Record<string, string | undefined>>
  readonly http: {
    readonly url: string | undefined
    answerLocally(request: IncomingMessage, response: ServerResponse): void
    close(): Promise<void>
  }
}

export interface ServiceOptions extends ServedApi {
  readonly hold: ServiceHold
  readonly kind: ServiceKind
  readonly trees: Pick<TreeRegistry, "register" | "expectsTask" | "forgetEnded">
}

/** Why a service ends by itself. */
export type ServiceEnd = { readonly by: "stop"; readonly now: boolean } | { readonly by: "idle" }

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
/** With `idleMinutes` 0 the last command ends the service; this is for one whose last command was killed. */
const abandonedMs = 60_000

/** Returns how long the service waits when nothing runs, in milliseconds. A CI job leaves no process behind. */
const idleMsOf = ({ config, env }: Pick<ServedApi, "config" | "env">): number => {
  const isCi = !["", "0", "false", undefined].includes(env["CI"])
  const { idleMinutes } = config.service
  return isCi || idleMinutes === 0 ? abandonedMs : idleMinutes * 60_000
}

/** Serves the socket of a data directory for the holder of its lock, until it is stopped or nothing needs it. */
export const runService = async (options: ServiceOptions): Promise<RunningService> => {
  const { hold, kind, client, config, http, trees } = options
  const { promise: stopped, resolve: stop } = Promise.withResolvers<ServiceEnd>()
  const startedAt = new Date().toISOString()
  const path = socketPath(hold.dataDir)
  const socket = await serveSocket(path, {
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
        kept_by: kind === "foreground" ? "it runs in the foreground" : (keptBy ?? null),
      }
    },
    stop: ({ now }) => stop({ by: "stop", now }),
    register: trees.register,
    answer: (request, response) => http.answerLocally(request, response),
  })
  const idleMs = idleMsOf(options)
  const idle = watchIdle(
    async () =>
      kind === "foreground" ||
      socket.connections() > 0 ||
      trees.expectsTask() ||
      (await readWork(client, config)).keptBy !== undefined,
    { idleMs, everyMs: Math.min(lookEveryMs, idleMs / 4) },
  )
  const upkeep = setInterval(() => {
    rotateLog(serviceFiles(hold.dataDir).log)
    // It is tried again the next time.
    trees.forgetEnded().catch(() => undefined)
  }, upkeepEveryMs)
  hold.announce({ socket: path, pid: process.pid })
  return {
    ended: Promise.race([stopped, idle.idle.then((): ServiceEnd => ({ by: "idle" }))]),
    close: async () => {
      idle.stop()
      clearInterval(upkeep)
      await Promise.all([http.close(), socket.close(closeGraceMs)])
    },
  }
}

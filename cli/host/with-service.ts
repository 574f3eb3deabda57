import type { LoadedConfig } from "../../config/loaded-config.ts"
import type { ServiceKind } from "../../contracts/service/service-status.ts"
import { commandLineActor } from "../../service/command-line-actor.ts"
import type { ServiceHold } from "../../service/hold-service.ts"
import { createTreeRegistry } from "../../service/tree-registry.ts"
import { type RunningService, type ServedHttp, runService, type ServiceEnd } from "../../service/run-service.ts"
import { storeLocation } from "../../store/store-location.ts"
import { untilInterrupted } from "../terminal/interrupts.ts"
import type { CommandContext, HostOptions, SessionHost } from "./hosts.ts"
import type { RunningWorker } from "../../worker/start-worker.ts"
import { type HeldService, noRole, takeRole } from "../../service/host/take-role.ts"
import { withHost } from "./with-host.ts"
import type { CliContext } from "../program/cli-context.ts"
import { createRedactingLogger } from "../program/redacting-logger.ts"
import type { ExitCode } from "../terminal/exit-code.ts"

export interface HeldHost extends SessionHost {
  /** Serves the socket, if this process is the service. `ended` resolves when the service is to end; never, if another process is it. */
  serveHeld(http: ServedHttp): Promise<Pick<RunningService, "ended">>
  /** Whether this process is the service. */
  readonly isService: boolean
}

export interface HeldOptions extends Omit<HostOptions, "daemon" | "check"> {
  readonly kind: ServiceKind
  /** Whether the command ends where another process is the service. */
  readonly mustHold?: boolean
  /** Leaves a service that a command has started in place, and works in addition to it. Default: takes its place. */
  readonly attaches?: boolean
}

/**
 * Makes this process the service of its data directory while `use` runs. If another process is the service, this one works in addition to it. Everything is
 * closed at the end, the lock last: nobody else opens the data directory while something of this process still writes to it.
 */
export const withService = async (
  context: CommandContext,
  options: HeldOptions,
  use: (host: HeldHost) => Promise<ExitCode>,
): Promise<ExitCode> => {
  let role = noRole
  let isClean = false
  // The role is taken when the configuration is read, before Temporal is started: without the lock, nothing is opened.
  const check = async (loaded: LoadedConfig): Promise<void> => {
    // With PostgreSQL, any number of processes serve the HTTP API, and others work.
    if (options.worker !== true && storeLocation(loaded.config.store.url, loaded.dataDir).kind === "postgres") return
    const { io, env, interrupts } = context
    const { kind, mustHold, attaches } = options
    role = await takeRole({
      ...{ loaded, env, signal: interrupts.signal, kind, mustHold, attaches },
      logger: createRedactingLogger(context, loaded, { daemon: true }).logger,
      tell: (line) => void io.stderr.write(`${line}\n`),
    })
  }
  const onProgress = (line: string): void => {
    role.service?.begun.mcp.progress(line)
    options.onProgress?.(line)
  }
  try {
    const code = await withHost(
      context,
      "engine",
      (host) => useAsService(context, { host, kind: options.kind, service: role.service }, use),
      { ...options, daemon: true, check, onProgress },
    )
    isClean = true
    return code
  } finally {
    await role.end({ clean: isClean })
  }
}

/** Waits until the service is to end: a signal, a request on its socket, nothing to do, or the failure of its worker. */
export const untilServiceEnds = async (
  { interrupts }: CliContext,
  parts: { readonly ended: Promise<ServiceEnd>; readonly failed: Promise<never> },
): Promise<ServiceEnd | undefined> =>
  await Promise.race([untilInterrupted(interrupts).then(() => undefined), parts.ended, parts.failed])

/** The end of a service, and the failure of a worker, in another process. */
export const never = new Promise<never>(() => undefined)

interface Opened {
  readonly host: SessionHost
  readonly kind: ServiceKind
  readonly service: HeldService | undefined
}

/** Uses the host, which can serve the socket in addition. What it serves is closed before the host is. */
const useAsService = async (
  { env }: CliContext,
  { host, kind, service }: Opened,
  use: (host: HeldHost) => Promise<ExitCode>,
): Promise<ExitCode> => {
  const { store, client, loaded } = host
  const { dataDir, config } = loaded
  const trees = createTreeRegistry({ dataDir, config, store, env })
  let worker: RunningWorker | undefined
  let running: RunningService | undefined
  const startWorker: SessionHost["startWorker"] = async (request) =>
    (worker = await host.startWorker({ ...request, trees }))
  const serveHeld: HeldHost["serveHeld"] = async (http) => {
    if (service === undefined) return { ended: never }
    running = runService({
      ...{ ...service, kind, client, store, config, env, http, trees },
      actor: commandLineActor(),
      clientOf: host.clientFor,
      drain: async () => await worker?.drain(),
    })
    void running.ended.then((end) => (end.now ? endSoon(service.hold) : undefined))
    return running
  }
  try {
    return await use({ ...host, startWorker, serveHeld, isService: service !== undefined })
  } finally {
    await running?.close()
  }
}

/** Time that `service stop --now` leaves for requests and records that are about to end. */
const soonMs = 1_000

/** Ends the process while calls are in flight. The next service treats them like those of a process that was killed. */
const endSoon = (hold: ServiceHold): void => {
  const end = (): never => {
    hold.release({ clean: true })
    process.exit(0)
  }
  setTimeout(end, soonMs).unref()
}

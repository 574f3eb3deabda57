import type { LoadedConfig } from "../../config/loaded-config.ts"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { ServiceKind } from "../../contracts/service/service-status.ts"
import { commandLineActor } from "../program/actor.ts"
import { attachTo, findService, requestStop } from "../../service/ask-service.ts"
import { type ServiceHold, waitToHold } from "../../service/hold-service.ts"
import { createTreeRegistry } from "../../service/tree-registry.ts"
import {
  beginService,
  type BegunService,
  type RunningService,
  type ServedHttp,
  runService,
  type ServiceEnd,
} from "../../service/run-service.ts"
import { storeLocation } from "../../store/store-location.ts"
import { untilInterrupted } from "../terminal/interrupts.ts"
import type { CommandContext, HostOptions, SessionHost } from "./hosts.ts"
import type { RunningWorker } from "../../worker/start-worker.ts"
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
  let role: Role = { end: async () => undefined }
  let isClean = false
  // The role is taken when the configuration is read, before Temporal is started: without the lock, nothing is opened.
  const check = async (loaded: LoadedConfig): Promise<void> => {
    role = await takeRole(context, loaded, options)
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

/** What the holder of the lock has: the lock, and the socket that answers already. */
interface HeldService {
  readonly hold: ServiceHold
  readonly begun: BegunService
}

/** What this process is for its data directory: the service, one that works in addition to it, or neither. */
interface Role {
  /** Absent if this process is not the service. */
  readonly service?: HeldService
  end(how: { readonly clean: boolean }): Promise<void>
}

const takeRole = async (context: CliContext, loaded: LoadedConfig, options: HeldOptions): Promise<Role> => {
  const { dataDir, config } = loaded
  // With PostgreSQL, any number of processes serve the HTTP API, and others work.
  if (options.worker !== true && storeLocation(config.store.url, dataDir).kind === "postgres")
    return { end: async () => undefined }
  const hold = await takeHold(context, dataDir, options)
  return hold === undefined ? await attach(context, dataDir, options) : await begin(context, hold, loaded, options.kind)
}

/** How long another process can hold the lock without answering, while it starts or ends. */
const holderTimeoutMs = 2_000
/** Calls in flight finish within the grace time of the worker; after that, everything is closed. */
const handOverTimeoutMs = 180_000

/**
 * Takes the lock of the data directory. A service that a command has started gives it up, unless this process `attaches`. Returns undefined if another
 * process keeps it.
 */
const takeHold = async (
  { interrupts: { signal } }: CliContext,
  dataDir: string,
  { attaches = false }: Pick<HeldOptions, "attaches">,
): Promise<ServiceHold | undefined> => {
  const found = await findService(dataDir)
  if (attaches || found?.status.kind !== "on-demand")
    return await waitToHold(dataDir, { signal, timeoutMs: holderTimeoutMs })
  await requestStop(found.socket, { now: false, by: "successor" })
  return await waitToHold(dataDir, { signal, timeoutMs: handOverTimeoutMs, evenIfAnswering: true })
}

/** Says that another process is the service, and keeps it from ending while this one works. */
const attach = async (
  { io }: CliContext,
  dataDir: string,
  { mustHold }: Pick<HeldOptions, "mustHold">,
): Promise<Role> => {
  const found = await findService(dataDir)
  const who = found === undefined ? "another process" : `the process ${found.status.pid}`
  const holder = `${who} is the service of ${dataDir}`
  if (mustHold === true) throw new AdjutantError("service_unavailable", `${holder}: stop it first`)
  io.stderr.write(`${holder}; this one works in addition to it, and its end stops nothing\n`)
  const detach = found === undefined ? undefined : attachTo(found.socket)
  return { end: async () => detach?.() }
}

/** Opens the socket, so that MCP clients get answers while the host opens. */
const begin = async (
  context: CliContext,
  hold: ServiceHold,
  loaded: LoadedConfig,
  kind: ServiceKind,
): Promise<Role> => {
  const { dataDir, config } = loaded
  const { logger } = createRedactingLogger(context, loaded, { daemon: true })
  try {
    const begun = await beginService(hold, { kind, dataDir, config, env: context.env, logger })
    const end: Role["end"] = async (how) => {
      await begun.close()
      hold.release(how)
    }
    return { service: { hold, begun }, end }
  } catch (error) {
    hold.release({ clean: false })
    throw error
  }
}

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
      clientOf: oncePer(host.clientFor),
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

/** Returns a function that makes one thing of each object. */
const oncePer = <From extends object, To>(make: (from: From) => To): ((from: From) => To) => {
  const made = new WeakMap<From, To>()
  return (from) => {
    const one = made.get(from) ?? make(from)
    made.set(from, one)
    return one
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

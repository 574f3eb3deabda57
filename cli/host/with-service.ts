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

/** How long another process can hold the lock without answering, while it starts or ends. */
const holderTimeoutMs = 2_000
/** Calls in flight finish within the grace time of the worker; after that, everything is closed. */
const handOverTimeoutMs = 180_000

/**
 * Takes the lock of the data directory. A service that a command has started gives it up, unless this process `attaches`. Returns undefined if another
 * process keeps it.
 */
const takeHold = async (
  { interrupts }: CliContext,
  { dataDir, attaches = false }: { readonly dataDir: string } & Pick<HeldOptions, "attaches">,
): Promise<ServiceHold | undefined> => {
  const { signal } = interrupts
  const found = await findService(dataDir)
  if (attaches || found?.status.kind !== "on-demand")
    return await waitToHold(dataDir, { signal, timeoutMs: holderTimeoutMs })
  await requestStop(found.socket, { now: false, by: "successor" })
  return await waitToHold(dataDir, { signal, timeoutMs: handOverTimeoutMs, evenIfAnswering: true })
}

/** Time that `service stop --now` leaves for requests and records that are about to end. */
const soonMs = 1_000

/** Ends the process while calls are in flight. The next service treats them like those of a process that was killed. */
const endSoon = (hold: ServiceHold | undefined): void => {
  const end = (): never => {
    hold?.release({ clean: true })
    process.exit(0)
  }
  setTimeout(end, soonMs).unref()
}

export interface HeldHost extends SessionHost {
  /** Serves the socket, if this process is the service. `ended` resolves when the service is to end; never, if another process is it. */
  serveHeld(http: ServedHttp): Promise<Pick<RunningService, "ended">>
  /** Whether this process is the service. */
  readonly isService: boolean
}

export interface HeldOptions extends Omit<HostOptions, "daemon"> {
  readonly kind: ServiceKind
  /** Whether the command ends where another process is the service. */
  readonly mustHold?: boolean
  /** Leaves a service that a command has started in place, and works in addition to it. Default: takes its place. */
  readonly attaches?: boolean
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

/** The end of a service, and the failure of a worker, in another process. */
export const never = new Promise<never>(() => undefined)

/** Takes the lock. If another process has it, says so and keeps that process from ending while this one works; `detach` lets it end. */
const holdOrAttach = async (
  context: CliContext,
  { dataDir, config }: LoadedConfig,
  { attaches, mustHold, worker }: Omit<HeldOptions, "kind">,
): Promise<{ readonly hold?: ServiceHold | undefined; readonly detach?: () => void }> => {
  // With PostgreSQL, any number of processes serve the HTTP API, and others work.
  if (worker !== true && storeLocation(config.store.url, dataDir).kind === "postgres") return {}
  const hold = await takeHold(context, { dataDir, attaches })
  if (hold !== undefined) return { hold }
  const found = await findService(dataDir)
  const who = found === undefined ? "another process" : `the process ${found.status.pid}`
  const holder = `${who} is the service of ${dataDir}`
  if (mustHold === true) throw new AdjutantError("service_unavailable", `${holder}: stop it first`)
  context.io.stderr.write(`${holder}; this one works in addition to it, and its end stops nothing\n`)
  return found === undefined ? {} : { detach: attachTo(found.socket) }
}

/**
 * Makes this process the service of its data directory while `use` runs. If another process is the service, this one works in addition to it. Everything is
 * closed at the end, the lock last.
 */
export const withService = async (
  context: CommandContext,
  { kind, mustHold, attaches, ...options }: HeldOptions,
  use: (host: HeldHost) => Promise<ExitCode>,
): Promise<ExitCode> => {
  let hold: ServiceHold | undefined
  let begun: BegunService | undefined
  let detach: (() => void) | undefined
  const check = async (loaded: LoadedConfig): Promise<void> => {
    const { dataDir, config } = loaded
    ;({ hold, detach } = await holdOrAttach(context, loaded, { ...options, mustHold, attaches }))
    if (hold === undefined) return
    const { logger } = createRedactingLogger(context, loaded, { daemon: true })
    begun = await beginService(hold, { kind, dataDir, config, env: context.env, logger })
  }
  const onProgress = (line: string): void => {
    begun?.mcp.progress(line)
    options.onProgress?.(line)
  }
  let isClean = false
  try {
    const code = await withHost(
      context,
      "engine",
      async (host) => {
        const { store, client, loaded } = host
        const closers: (() => Promise<void>)[] = []
        const trees = createTreeRegistry({ dataDir: loaded.dataDir, config: loaded.config, store, env: context.env })
        let worker: RunningWorker | undefined
        const startWorker: SessionHost["startWorker"] = async (request) =>
          (worker = await host.startWorker({ ...request, trees }))
        const serveHeld: HeldHost["serveHeld"] = async (http) => {
          if (hold === undefined || begun === undefined) return { ended: never }
          const running = runService({
            ...{ hold, begun, kind, client, store, config: loaded.config, env: context.env, http, trees },
            actor: commandLineActor(),
            clientOf: oncePer(host.clientFor),
            drain: async () => await worker?.drain(),
          })
          closers.push(running.close)
          void running.ended.then((end) => (end.now ? endSoon(hold) : undefined))
          return running
        }
        try {
          return await use({ ...host, startWorker, serveHeld, isService: hold !== undefined })
        } finally {
          for (const close of closers) await close()
        }
      },
      { ...options, daemon: true, check, onProgress },
    )
    isClean = true
    return code
  } finally {
    detach?.()
    await begun?.close()
    hold?.release({ clean: isClean })
  }
}

/** Waits until the service is to end: a signal, a request on its socket, nothing to do, or the failure of its worker. */
export const untilServiceEnds = async (
  { interrupts }: CliContext,
  parts: { readonly ended: Promise<ServiceEnd>; readonly failed: Promise<never> },
): Promise<ServiceEnd | undefined> =>
  await Promise.race([untilInterrupted(interrupts).then(() => undefined), parts.ended, parts.failed])

import type { LoadedConfig } from "../../config/loaded-config.ts"
import { AdjutantError } from "../../contracts/adjutant-error.ts"
import type { ServiceKind } from "../../contracts/service/service-status.ts"
import type { MutableEnvironment } from "../../config/secrets/secret-files.ts"
import { waitForLock } from "../../server/process/exclusive-lock.ts"
import { attachTo, findService, type FoundService, readAddress, requestStop } from "../ask-service.ts"
import { type ServiceHold, waitToHold } from "../hold-service.ts"
import { beginService, type BegunService } from "../run-service.ts"
import { serviceFiles } from "../service-files.ts"
import type { OpenedHost } from "./opened-host.ts"

/** What a process is to be for a data directory. */
export interface RoleRequest extends Pick<OpenedHost, "logger"> {
  readonly loaded: Pick<LoadedConfig, "dataDir" | "config" | "customTools">
  readonly env: MutableEnvironment
  readonly signal: AbortSignal
  readonly kind: ServiceKind
  /** Whether the process ends where another one is the service. */
  readonly mustHold?: boolean | undefined
  /** Leaves a service that a command has started in place, and works in addition to it. Default: takes its place. */
  readonly attaches?: boolean | undefined
  /** Gets a line for a person if another process is the service. */
  readonly tell: (line: string) => void
}

/** What the holder of the lock has: the lock, and the socket that answers already. */
export interface HeldService {
  readonly hold: ServiceHold
  readonly begun: BegunService
}

/** What this process is for its data directory: the service, one that works in addition to it, or neither. */
export interface Role {
  /** Absent if this process is not the service. */
  readonly service?: HeldService
  end(how: { readonly clean: boolean }): Promise<void>
}

/** The role of a process that is neither. */
export const noRole: Role = { end: async () => undefined }

/**
 * Makes this process the service of a data directory, or, if another process is, one that works in addition to it. Without the role, nothing is opened.
 * @throws AdjutantError `service_unavailable` if it must be the service and cannot
 */
export const takeRole = async (request: RoleRequest): Promise<Role> => {
  const hold = await takeHold(request)
  return hold === undefined ? await attach(request) : await begin(hold, request)
}

/** How long another process can hold the lock without answering, while it starts or ends. */
const holderTimeoutMs = 2_000
/** Calls in flight finish within the grace time of the worker; after that, everything is closed. */
const handOverTimeoutMs = 180_000

/** Returns what the service of the data directory is, also while it starts and does not answer. */
const kindOfHolder = async (dataDir: string): Promise<ServiceKind | undefined> =>
  readAddress(dataDir)?.kind ?? (await findService(dataDir))?.status.kind

/** Returns the service of the data directory if a command has started it. */
const findOnDemand = async (dataDir: string): Promise<FoundService | undefined> => {
  const found = await findService(dataDir)
  return found?.status.kind === "on-demand" ? found : undefined
}

/**
 * Takes the lock of the data directory. A service that a command has started gives it up to a process in the foreground, unless that `attaches`. Returns
 * undefined if another process keeps it.
 */
const takeHold = async ({
  loaded: { dataDir },
  signal,
  kind,
  attaches = false,
}: RoleRequest): Promise<ServiceHold | undefined> => {
  const unasked = { signal, timeoutMs: holderTimeoutMs }
  // The command that starts a service holds the start lock for it.
  if (attaches || kind === "on-demand" || (await kindOfHolder(dataDir)) !== "on-demand")
    return await waitToHold(dataDir, unasked)
  // A service that starts answers when its command releases the lock. Meanwhile, no command that loses the service starts another one in its place.
  const startLock = await waitForLock(serviceFiles(dataDir).startLock, { signal })
  try {
    // Another process in the foreground may have taken its place meanwhile, at the same address.
    const found = await findOnDemand(dataDir)
    if (found === undefined) return await waitToHold(dataDir, unasked)
    await requestStop(found.socket, { now: false, by: "successor" }).catch(() => undefined)
    return await waitToHold(dataDir, { signal, timeoutMs: handOverTimeoutMs, evenIfAnswering: true })
  } finally {
    startLock.release()
  }
}

/** Says that another process is the service, and keeps it from ending while this one works. */
const attach = async ({ loaded: { dataDir }, mustHold, tell }: RoleRequest): Promise<Role> => {
  const found = await findService(dataDir)
  const who = found === undefined ? "another process" : `the process ${found.status.pid}`
  const holder = `${who} is the service of ${dataDir}`
  if (mustHold === true) throw new AdjutantError("service_unavailable", `${holder}: stop it first`)
  tell(`${holder}; this one works in addition to it, and its end stops nothing`)
  const detach = found === undefined ? undefined : attachTo(found.socket)
  return { end: async () => detach?.() }
}

/** Opens the socket, so that MCP clients get answers while the rest opens. */
const begin = async (hold: ServiceHold, { loaded, env, logger, kind }: RoleRequest): Promise<Role> => {
  const { dataDir, config, customTools } = loaded
  try {
    const begun = await beginService(hold, { kind, dataDir, config, customTools, env, logger })
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

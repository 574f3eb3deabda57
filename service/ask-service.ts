import { z } from "zod"
import {
  attachPath,
  type PageLink,
  pageLinkSchema,
  type ServiceAddress,
  serviceAddressSchema,
  serviceApi,
  type ServiceStatus,
  serviceStatusSchema,
  type StopService,
  type StopServiceAnswer,
  stopServiceAnswerSchema,
} from "../contracts/service/service-status.ts"
import { commandHeader, registeredTreeSchema, type TreeRegistration } from "../contracts/service/tree-registration.ts"
import { AdjutantError } from "../contracts/adjutant-error.ts"
import { isErrorCode } from "../contracts/error-code.ts"
import { type StopReport, stopAnswerSchema } from "../contracts/http/stop.ts"
import { isNewerVersion } from "../domain/engine/workflow-build.ts"
import { overSocket } from "../network/over-socket.ts"
import { readWhole } from "../server/process/server-files.ts"
import { packageVersion } from "../worker/package-version.ts"
import { serviceFiles } from "./service-files.ts"

/** A service that answers. */
export interface FoundService {
  readonly socket: string
  readonly status: ServiceStatus
}

const refusalSchema = z.object({ code: z.string(), error: z.string() })

const answerTimeoutMs = 10_000
/** Longer than the service waits until the tasks have ended. */
const stopTimeoutMs = 120_000

interface Request {
  readonly path: string
  readonly body?: object
  readonly timeoutMs?: number
  /** The command that asks, if it sends more than one request. */
  readonly command?: string | undefined
}

const askService = async <Answer>(
  socket: string,
  { path, body, timeoutMs = answerTimeoutMs, command }: Request,
  answer: z.ZodType<Answer>,
): Promise<Answer> => {
  const response = await overSocket(socket, `http://localhost${path}`, {
    method: body === undefined ? "GET" : "POST",
    signal: AbortSignal.timeout(timeoutMs),
    headers: {
      ...(command === undefined ? {} : { [commandHeader]: command }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const document: unknown = await response.json()
  if (response.ok) return answer.parse(document)
  const { success, data: refusal } = refusalSchema.safeParse(document)
  throw success
    ? new AdjutantError(isErrorCode(refusal.code) ? refusal.code : "invalid_config", refusal.error)
    : new Error(`the service answered ${response.status}`)
}

const isAddress = (value: unknown): value is ServiceAddress => serviceAddressSchema.safeParse(value).success

/** Returns where the process that has the lock of a data directory listens. It may not answer, or not yet. */
export const readAddress = (dataDir: string): ServiceAddress | undefined =>
  readWhole(serviceFiles(dataDir).address, isAddress)

/** Returns the service of a data directory; undefined if none answers. `command`: as for `requestStop`. */
export const findService = async (dataDir: string, command?: string): Promise<FoundService | undefined> => {
  const address = readAddress(dataDir)
  if (address === undefined) return undefined
  try {
    return {
      socket: address.socket,
      status: await askService(address.socket, { path: "/service", command }, serviceStatusSchema),
    }
  } catch {
    return undefined
  }
}

/** Returns whether the service is to hand over to this build. A foreground process is left alone. */
export const isOutdated = ({ version, kind }: Pick<ServiceAddress, "version" | "kind">): boolean =>
  kind === "on-demand" && version !== undefined && isNewerVersion(packageVersion(), version)

/** Returns why a service and a command do not work together: one of them is too old for the other. */
export const otherVersion = (
  dataDir: string,
  { pid, ...service }: Pick<ServiceStatus, "pid" | "version" | "api">,
  command: Pick<ServiceStatus, "version" | "api">,
): AdjutantError =>
  new AdjutantError(
    "service_unavailable",
    `the service ${pid} of ${dataDir} is Adjutant ${service.version} (interface ${service.api}), and this is ${command.version} (interface ${command.api}): ` +
      "use the same version, or run `adjutant service stop` first",
  )

/** Returns the service if it takes work from commands of this build. @throws AdjutantError `service_unavailable`, with both versions, if it takes none */
export const requireUsable = (dataDir: string, found: FoundService): FoundService => {
  if (found.status.api === serviceApi) return found
  throw otherVersion(dataDir, found.status, { version: packageVersion(), api: serviceApi })
}

/**
 * Returns the service that takes work from commands of this build; undefined if none answers. An older build never replaces the service of a newer one.
 * `command`: as for `requestStop`.
 * @throws AdjutantError `service_unavailable`, with both versions, if it takes none
 */
export const findUsableService = async (dataDir: string, command?: string): Promise<FoundService | undefined> => {
  const found = await findService(dataDir, command)
  return found === undefined ? undefined : requireUsable(dataDir, found)
}

export interface Attachment {
  /** As for `requestStop`. */
  readonly command?: string
  /** The service has ended, or does not answer. */
  readonly onEnd?: () => void
}

/** Keeps a service from ending as idle while this process works in addition to it. Returns a function that ends that. */
export const attachTo = (socket: string, { command, onEnd }: Attachment = {}): (() => void) => {
  const end = new AbortController()
  const headers: Record<string, string> = command === undefined ? {} : { [commandHeader]: command }
  void overSocket(socket, `http://localhost${attachPath}`, { signal: end.signal, headers })
    .then(async (response) => await response.text())
    .catch(() => undefined)
    .then(() => (end.signal.aborted ? undefined : onEnd?.()))
  return () => end.abort()
}

/** Requests that a service ends. `command`: the id with which the command that asks has sent its requests. */
export const requestStop = (socket: string, stop: StopService, command?: string): Promise<StopServiceAnswer> =>
  askService(socket, { path: "/service/stop", body: stop, command }, stopServiceAnswerSchema)

/**
 * Brings a service what the work of a tree needs. Returns the id of the tree's root.
 * @throws AdjutantError if the service cannot use it
 */
export const registerTree = async (socket: string, registration: TreeRegistration, command?: string): Promise<string> =>
  (await askService(socket, { path: "/service/trees", body: registration, command }, registeredTreeSchema)).root_id

/** Returns a new link to the page of a service. */
export const requestPageLink = (socket: string): Promise<PageLink> =>
  askService(socket, { path: "/service/page", body: {} }, pageLinkSchema)

/** Cancels every open task of a service, and returns what was open. */
export const stopTasks = (socket: string): Promise<StopReport> =>
  askService(socket, { path: "/v1/stop", body: { all: true }, timeoutMs: stopTimeoutMs }, stopAnswerSchema)

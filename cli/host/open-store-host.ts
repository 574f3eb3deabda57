import { mkdtemp, rm } from "node:fs/promises"
import os from "node:os"
import path from "node:path"
import { createStoreReader } from "../../client/create-store-reader.ts"
import { defaultRemoteTiming } from "../../client/remote/server-connection.ts"
import { createSecretRedact } from "../../config/secrets/secrets.ts"
import type { ServiceStatus } from "../../contracts/service/service-status.ts"
import { findService } from "../../service/ask-service.ts"
import { createTemporalUrl, noTemporalUrl } from "../../domain/engine/temporal-url.ts"
import { findRunningServer } from "../../server/find-running-server.ts"
import { type OpenStoreOptions, openStore } from "../../store/open-store.ts"
import { isMissingFile, storeLocation } from "../../store/store-location.ts"
import type { CliContext } from "../program/cli-context.ts"
import { loadHostConfig } from "../program/load-host-config.ts"
import { warningLines } from "../program/entry-lines.ts"
import { rememberWarnings } from "../program/shown-warnings.ts"
import type { HostOptions, StoreHost } from "./hosts.ts"

/** Opens the store. One that is missing, and may be, is read as an empty one elsewhere: reading leaves nothing behind. */
const openToRead = async (options: OpenStoreOptions): Promise<Pick<StoreHost, "store" | "close">> => {
  const { url, dataDir, mustExist } = options
  if (mustExist === true || !isMissingFile(storeLocation(url, dataDir))) {
    const store = await openStore(options)
    return { store, close: () => store.close() }
  }
  const folder = await mkdtemp(path.join(os.tmpdir(), "adjutant-empty-"))
  const store = await openStore({ url: "sqlite:", dataDir: folder })
  const close = async (): Promise<void> => {
    await store.close()
    await rm(folder, { recursive: true, force: true })
  }
  return { store, close }
}

/** Opens the store for a command that only reads it. Starts no Temporal; the links to its UI are those of a server that is running. */
export const openStoreHost = async (context: CliContext, { mustExist }: HostOptions): Promise<StoreHost> => {
  const { env, io, options } = context
  const loaded = await loadHostConfig(context, { isReading: true })
  const { config, dataDir } = loaded
  const redact = createSecretRedact(loaded, env)
  const logger = warningLines({
    ...{ sink: io.stderr, redact, paint: io.paint.stderr },
    ...(options.verbose ? {} : { isNewWarning: rememberWarnings(dataDir) }),
  })
  const server = findRunningServer({ dataDir, env })
  const { store, close } = await openToRead({ url: config.store.url, dataDir, env, mustExist })
  const temporalUrl = server === undefined ? noTemporalUrl : createTemporalUrl(server)
  const reader = createStoreReader({ store, loaded, logger, temporalUrl, redact })
  const info: StoreHost["client"]["info"] = async (sessionId) => {
    const service = await findService(dataDir)
    return service === undefined ? await reader.recorded(sessionId) : await askForInfo(service.socket, sessionId)
  }
  const serviceLine = async (): Promise<string> => serviceText((await findService(dataDir))?.status)
  return { loaded, dataDir, store, client: { ...reader, info }, redact, serviceLine, close }
}

/** Uses the store of this machine before anything is started. It must exist. */
export const withStoreOf = async <T>(context: CliContext, use: (host: StoreHost) => Promise<T>): Promise<T> => {
  const host = await openStoreHost(context, { mustExist: true })
  try {
    return await use(host)
  } finally {
    await host.close()
  }
}

/** Refuses a task that the store does not have, or what the command requires in its place. */
export const requireTargetInStore = async (context: CliContext, { target, requires }: HostOptions): Promise<void> => {
  if (requires !== undefined) await withStoreOf(context, requires)
  else if (target !== undefined) await withStoreOf(context, ({ client }) => client.inspectTarget(target))
}

/** A service that runs knows more than the store: what Temporal says, and what is queued. */
const askForInfo = async (socket: string, sessionId: string): ReturnType<StoreHost["client"]["info"]> => {
  const { createRemoteClient } = await import("../../client/remote/create-remote-client.ts")
  const client = createRemoteClient({ url: "http://localhost", token: "", timing: defaultRemoteTiming, socket })
  try {
    return await client.info(sessionId)
  } finally {
    await client.close()
  }
}

/** Returns one line about a service. */
const serviceText = (status: ServiceStatus | undefined): string =>
  status === undefined
    ? `service     not running: this is the state as of ${new Date().toISOString()}, and the next command that works starts it`
    : `service     running (pid ${status.pid}, version ${status.version}): ${status.running + status.pending} running, ${status.paused} paused`

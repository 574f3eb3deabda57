import { connectTemporal } from "../../server/connection/connect-temporal.ts"
import { readEncryptionKeys } from "../../config/secrets/encryption-keys.ts"
import { codecOf, converterOf } from "../../server/encryption/configured-codec.ts"
import { ensureServer } from "../../server/ensure-server.ts"
import { refuseNewEngine } from "../../sessions/engine/refuse-new-engine.ts"
import { openStore } from "../../store/open-store.ts"
import type { LoadedConfig } from "../../config/loaded-config.ts"
import { oncePerProject } from "../../domain/once-per-project.ts"
import type { OpenedHost } from "./opened-host.ts"

export interface ConnectionOptions extends Pick<OpenedHost, "env" | "logger" | "closers"> {
  /** The name of the connection in Temporal. */
  readonly identity: string
  readonly signal: AbortSignal
  readonly onProgress: (line: string) => void
  /** Accepts a store that belongs to another Temporal than one that is created now. */
  readonly acceptsNewEngine?: boolean
}

/** Opens the store while it finds or starts Temporal. If one fails, it waits for the other, so that what was opened can be closed. */
export const openConnections = async (
  loaded: LoadedConfig,
  { env, identity, signal, logger, closers, onProgress, acceptsNewEngine = false }: ConnectionOptions,
) => {
  const { config, dataDir } = loaded
  const keys = await readEncryptionKeys(loaded, env)
  const opening = openStore({ url: config.store.url, dataDir, env }).then((store) => {
    closers.add(() => store.close())
    return store
  })
  const connect = async () => {
    const beforeNewEngine = async (file: string) =>
      acceptsNewEngine ? undefined : refuseNewEngine(await opening, file)
    const serverLogger = {
      info: (message: string) => logger.info(message),
      warn: (message: string) => logger.warn(message),
      warnOnce: (message: string) => logger.warn(oncePerProject, message),
    }
    const server = await ensureServer({
      ...{ dataDir, env, onProgress, beforeNewEngine },
      ...{ logger: serverLogger, signal },
    })
    closers.add(() => server.release())
    const codec = await codecOf(keys)
    const temporal = await connectTemporal(server, env, { identity, ...converterOf(codec) })
    closers.add(() => temporal.close())
    return { server, temporal, codec }
  }
  const [connected, opened] = await Promise.allSettled([connect(), opening])
  if (connected.status === "rejected") throw connected.reason
  if (opened.status === "rejected") throw opened.reason
  return { ...connected.value, store: opened.value }
}

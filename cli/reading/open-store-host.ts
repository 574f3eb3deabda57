import { createStoreReader } from "../../client/create-store-reader.ts"
import { createTemporalUrl, noTemporalUrl } from "../../domain/engine/temporal-url.ts"
import { findRunningServer } from "../../server/find-running-server.ts"
import { openStore } from "../../store/open-store.ts"
import type { HostContext } from "../program/command.ts"
import { loadHostConfig } from "../program/load-host-config.ts"
import { createRedactingLogger } from "../program/redacting-logger.ts"
import type { ReadingOptions, StoreHost } from "./store-host.ts"

/** Opens the store for a command that only reads it. Starts no Temporal; the links to its UI are those of a server that is running. */
export const openStoreHost = async (context: HostContext, { mustExist }: ReadingOptions): Promise<StoreHost> => {
  const { env } = context
  const loaded = await loadHostConfig(context)
  const { config, dataDir } = loaded
  const { logger, redact } = createRedactingLogger(context, loaded, { daemon: false })
  const server = findRunningServer({ dataDir, env })
  const store = await openStore({ url: config.store.url, dataDir, env, mustExist })
  const temporalUrl = server === undefined ? noTemporalUrl : createTemporalUrl(server)
  return {
    loaded,
    store,
    client: createStoreReader({ store, loaded, logger, temporalUrl, redact }),
    redact,
    close: () => store.close(),
  }
}

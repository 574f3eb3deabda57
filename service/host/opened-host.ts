import type { PayloadCodec } from "@temporalio/common"
import type { Logger } from "pino"
import type { AdjutantClient } from "../../client/create-client.ts"
import type { LoadedConfig } from "../../config/loaded-config.ts"
import type { Redact } from "../../domain/text/redact.ts"
import type { RunningServer } from "../../server/running-server.ts"
import type { TemporalConnections } from "../../server/connection/connect-temporal.ts"
import type { createEngineGuard } from "../../sessions/engine/create-engine-guard.ts"
import type { Store } from "../../store/store.ts"
import type { Closers } from "./closers.ts"

/** What the services of a process work on once everything is open. */
export interface OpenedHost {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly loaded: LoadedConfig
  readonly closers: Closers
  readonly logger: Logger
  /** Removes known secrets from a text. */
  readonly redact: Redact
  readonly server: RunningServer
  readonly temporal: TemporalConnections
  /** Encrypts what Temporal stores; undefined if nothing is encrypted. */
  readonly codec: PayloadCodec | undefined
  readonly store: Store
  readonly engine: ReturnType<typeof createEngineGuard>
  readonly client: AdjutantClient
}

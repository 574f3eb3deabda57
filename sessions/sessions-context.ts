import type { Machine } from "../engine/workers/machine.ts"
import type { EngineContext } from "../engine/engine-context.ts"
import type { LoadedConfig } from "../config/loaded-config.ts"
import type { TemporalUrl } from "../domain/engine/temporal-url.ts"
import type { Redact } from "../domain/text/redact.ts"
import type { RunSnapshot } from "../contracts/run-snapshot.ts"
import type { EngineGuard } from "../engine/engine-guard.ts"
import type { StoreLogger } from "../store/database/database.ts"
import type { Store } from "../store/store.ts"
import type { StartRequest } from "./start-request.ts"
import type { Tracer } from "./tracer.ts"
import type { ClientTiming } from "./sessions-timing.ts"
import type { Environment } from "../domain/environment.ts"

export type ClientLogger = StoreLogger

export type ResolveRun = (loaded: LoadedConfig, request: StartRequest, env: Environment) => Promise<RunSnapshot>

/** The context of every use case. */
export interface SessionsContext extends EngineContext {
  readonly store: Store
  readonly loaded: LoadedConfig
  readonly env: Environment
  readonly timing: ClientTiming
  readonly logger: ClientLogger
  readonly temporalUrl: TemporalUrl
  /** Removes known secrets from a text. */
  readonly redact: Redact
  /** Resolves the settings of a run within the authority of its caller. */
  readonly resolveRun: (request: StartRequest) => Promise<RunSnapshot>
  /** Where its process runs. */
  readonly machine: Machine
  /** Checkpoints that this client answered by signal. Their pauses remain open in the store until a worker applies the answer. */
  readonly answeredCheckpoints: Set<string>
  /** Exports the traces of runs whose outcome this process records; absent unless the environment names a receiver. */
  readonly tracer?: Tracer | undefined
  /** Compares the connected engine with the one that the store belongs to. */
  readonly engine: EngineGuard
}

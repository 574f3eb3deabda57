import { apiGuard } from "../exposure/http-api-guard.ts"
import { searchAttributeNames } from "../connection/search-attribute-names.ts"
import type { Synchronous } from "./server-record.ts"
import { uiArguments, type UiAddress } from "../ui/ui-address.ts"

export interface ServerSettings {
  readonly port: number
  /** Port of the HTTP API, which is not used. */
  readonly httpPort: number
  /** The only host that the HTTP API answers to. */
  readonly apiHost: string
  /** Undefined: any free port. */
  readonly metricsPort: number | undefined
  /** Undefined: no UI. */
  readonly ui: UiAddress | undefined
  readonly database: string
  readonly synchronous: Synchronous
}

// By default a history shard reads its queues at most 20 times a second, which limits a server with one shard.
// docker/dynamic-config.yaml contains the same values for a cluster.
export const dynamicConfig: Readonly<Record<string, number | boolean | string>> = {
  "history.transferProcessorMaxPollRPS": 2000,
  "history.timerProcessorMaxPollRPS": 2000,
  "history.visibilityProcessorMaxPollRPS": 200,
  "history.timerProcessorMaxTimeShift": "10ms",
  "system.enableActivityEagerExecution": true,
}

/** Returns the arguments of the `temporal` program for a server on loopback that is tuned for agents and inaccessible to web pages. */
export const serverArguments = (settings: ServerSettings): readonly string[] => [
  "server",
  "start-dev",
  ...["--ip", "127.0.0.1", "--port", String(settings.port), "--http-port", String(settings.httpPort)],
  ...(settings.metricsPort === undefined ? [] : ["--metrics-port", String(settings.metricsPort)]),
  ...uiArguments(settings.ui),
  ...["--db-filename", settings.database],
  ...["--sqlite-pragma", "journal_mode=wal", "--sqlite-pragma", `synchronous=${settings.synchronous}`],
  ...["--log-level", "warn", "--log-format", "json"],
  ...Object.entries({ ...dynamicConfig, ...apiGuard(settings.apiHost) }).flatMap(([key, value]) => [
    "--dynamic-config-value",
    `${key}=${JSON.stringify(value)}`,
  ]),
  ...searchAttributeNames.flatMap((name) => ["--search-attribute", `${name}=Keyword`]),
]

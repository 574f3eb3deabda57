import type { ServerPorts } from "./choose-ports.ts"
import { searchAttributeNames } from "./search-attribute-names.ts"
import type { Synchronous } from "./server-record.ts"

export interface ServerSettings extends ServerPorts {
  readonly database: string
  readonly synchronous: Synchronous
}

// One history shard whose queues may be read 20 times a second is what holds the server back by default.
// A cluster gets the same from docker/dynamic-config.yaml.
export const dynamicConfig: Readonly<Record<string, number | boolean | string>> = {
  "history.transferProcessorMaxPollRPS": 2000,
  "history.timerProcessorMaxPollRPS": 2000,
  "history.visibilityProcessorMaxPollRPS": 200,
  "history.timerProcessorMaxTimeShift": "10ms",
  "system.enableActivityEagerExecution": true,
}

/** Arguments of the `temporal` program for a server on loopback, tuned for agents. */
export const serverArguments = (settings: ServerSettings): readonly string[] => [
  "server",
  "start-dev",
  ...["--ip", "127.0.0.1", "--ui-ip", "127.0.0.1"],
  ...["--port", String(settings.port), "--ui-port", String(settings.uiPort)],
  ...["--db-filename", settings.database],
  ...["--sqlite-pragma", "journal_mode=wal", "--sqlite-pragma", `synchronous=${settings.synchronous}`],
  ...["--log-level", "warn", "--log-format", "json"],
  ...Object.entries(dynamicConfig).flatMap(([key, value]) => [
    "--dynamic-config-value",
    `${key}=${JSON.stringify(value)}`,
  ]),
  ...searchAttributeNames.flatMap((name) => ["--search-attribute", `${name}=Keyword`]),
]

import { IllegalStateError } from "@temporalio/common"
import { DefaultLogger, type LogEntry, Runtime } from "@temporalio/worker"
import type { Logger } from "pino"
import type { Environment } from "../domain/environment.ts"
import { otlpProblem, otlpReceiver } from "../domain/trace/otlp-receiver.ts"
import { createEntryReader } from "./log/engine-log.ts"

let installed = false

const levels = { TRACE: "trace", DEBUG: "debug", INFO: "debug", WARN: "warn", ERROR: "error" } as const

/** Returns what writes the engine's entries to our log. */
export const logEngineEntries = (logger: Pick<Logger, "trace" | "debug" | "info" | "warn" | "error">) => {
  const read = createEntryReader()
  return (entry: Pick<LogEntry, "level" | "message" | "meta">): void => {
    const { message, fields, isDetail = false } = read(entry)
    logger[isDetail ? "debug" : (levels[entry.level as keyof typeof levels] ?? "info")](fields, message)
  }
}

export interface EngineRuntimeOptions {
  /** Port of loopback at which `/metrics` has the metrics of the engine's library, for Prometheus. Default: none. */
  readonly metricsPort?: number | undefined
  /** Its standard variables of OpenTelemetry say where metrics are sent if no port serves them. Default: nowhere. */
  readonly env?: Environment
}

const defaultIntervalMs = 60_000

/** Returns where the engine's library and the worker report their metrics: one place, at the port or else at the receiver that the environment names. */
const metricsOf = ({ metricsPort, env = {} }: EngineRuntimeOptions) => {
  if (metricsPort !== undefined) return { prometheus: { bindAddress: `127.0.0.1:${metricsPort}` } }
  const receiver = otlpProblem(env, "metrics") === undefined ? otlpReceiver(env, "metrics") : undefined
  if (receiver === undefined) return undefined
  const { url, headers, resource: globalTags } = receiver
  const metricsExportInterval = Number(env["OTEL_METRIC_EXPORT_INTERVAL"] || defaultIntervalMs)
  return { globalTags, otel: { url, headers, http: true, metricsExportInterval, useSecondsForDurations: true } }
}

/**
 * Installs the engine's runtime once per process, with its log lines on our logger. The program handles signals itself: the engine's own handlers would
 * stop a worker independently of the command.
 */
export const installRuntime = (logger: Logger, options: EngineRuntimeOptions = {}): void => {
  if (installed) return
  installed = true
  try {
    install(logger, options)
  } catch (error) {
    // A program that embeds the worker may already have installed a runtime.
    if (!(error instanceof IllegalStateError)) throw error
  }
}

const install = (logger: Logger, options: EngineRuntimeOptions): void => {
  const metrics = metricsOf(options)
  Runtime.install({
    logger: new DefaultLogger("INFO", logEngineEntries(logger)),
    shutdownSignals: [],
    telemetryOptions: { logging: { forward: {}, filter: "WARN" }, ...(metrics === undefined ? {} : { metrics }) },
  })
}

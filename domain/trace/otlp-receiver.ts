import type { Environment } from "../environment.ts"

export type OtlpSignal = "traces" | "metrics" | "logs"

/** Where the data of OpenTelemetry goes, as its standard variables say. */
export interface OtlpReceiver {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly protocol: string
  /** Attributes of the service. */
  readonly resource: Readonly<Record<string, string>>
}

const exportTimeoutMs = 10_000

/** The variables of each signal. */
const variables = {
  traces: {
    exporter: "OTEL_TRACES_EXPORTER",
    endpoint: "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    headers: "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
  },
  metrics: {
    exporter: "OTEL_METRICS_EXPORTER",
    endpoint: "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
    headers: "OTEL_EXPORTER_OTLP_METRICS_HEADERS",
  },
  logs: {
    exporter: "OTEL_LOGS_EXPORTER",
    endpoint: "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT",
    headers: "OTEL_EXPORTER_OTLP_LOGS_HEADERS",
  },
} as const satisfies Readonly<Record<OtlpSignal, object>>

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Reads `name=value,name=value`, as the standard variables have it. */
const pairs = (text = ""): readonly (readonly [string, string])[] =>
  text.split(",").flatMap((pair) => {
    const at = pair.indexOf("=")
    return at < 1 ? [] : [[pair.slice(0, at).trim(), decoded(pair.slice(at + 1).trim())] as const]
  })

const exporterOf = (env: Environment, signal: OtlpSignal): string => env[variables[signal].exporter] || "otlp"

/** Returns the receiver of a signal; undefined if the environment names none, or switches the signal off. */
export const otlpReceiver = (env: Environment, signal: OtlpSignal): OtlpReceiver | undefined => {
  const { endpoint, headers } = variables[signal]
  const common = env["OTEL_EXPORTER_OTLP_ENDPOINT"]
  const url = env[endpoint] || (common ? `${common.replace(/\/+$/, "")}/v1/${signal}` : undefined)
  if (url === undefined || env["OTEL_SDK_DISABLED"] === "true" || exporterOf(env, signal) === "none") return undefined
  return {
    url,
    headers: Object.fromEntries([...pairs(env["OTEL_EXPORTER_OTLP_HEADERS"]), ...pairs(env[headers])]),
    timeoutMs: Number(env["OTEL_EXPORTER_OTLP_TIMEOUT"] || exportTimeoutMs),
    protocol: env["OTEL_EXPORTER_OTLP_PROTOCOL"] || "http/json",
    resource: {
      "service.name": env["OTEL_SERVICE_NAME"] || "adjutant",
      ...Object.fromEntries(pairs(env["OTEL_RESOURCE_ATTRIBUTES"])),
    },
  }
}

/** Returns why a signal is not sent although a receiver is named; undefined if it is sent, or if there is no receiver. */
export const otlpProblem = (env: Environment, signal: OtlpSignal): string | undefined => {
  const receiver = otlpReceiver(env, signal)
  const exporter = exporterOf(env, signal)
  if (receiver === undefined) return undefined
  if (exporter !== "otlp")
    return `${signal} are not sent: ${variables[signal].exporter} is ${exporter}; use otlp or none`
  if (receiver.protocol !== "http/json" && receiver.protocol !== "http/protobuf")
    return `${signal} are not sent: the protocol of OTEL_EXPORTER_OTLP_PROTOCOL is ${receiver.protocol}; use http/protobuf or http/json and the receiver's port for HTTP`
  return undefined
}

const signals: readonly OtlpSignal[] = ["traces", "metrics", "logs"]

/** Returns why signals are not sent although a receiver is named. */
export const otlpProblems = (env: Environment): readonly string[] =>
  signals.map((signal) => otlpProblem(env, signal)).filter((problem) => problem !== undefined)

import { expect, it, onTestFinished } from "vitest"
import { otlpProblem, otlpReceiver } from "../../../../domain/trace/otlp-receiver.ts"
import { createLogger } from "../../../../cli/program/logger.ts"
import { createRedact } from "../../../../domain/text/redact.ts"
import { createLogExporter } from "../../../../sessions/trace/log-exporter.ts"
import { untilPasses } from "../../../helpers/eventually.ts"
import { startOtlpReceiver } from "../../../helpers/telemetry/otlp-receiver.ts"

it("entries of the log go to the receiver, without secrets, as the log has them", async () => {
  const receiver = await startOtlpReceiver()
  onTestFinished(() => receiver.close())
  const exportLine = createLogExporter({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_SERVICE_NAME: "mine" })
  if (exportLine === undefined) throw new Error("there is no exporter")
  const written: string[] = []
  const logger = createLogger({
    ...{ sink: { write: (text) => void written.push(text) }, verbose: false, format: "json" },
    ...{ redact: createRedact(["key-1234"]), exportLine },
  })
  logger.info("not shown")
  logger.warn({ err: new Error("no key-1234"), session_id: "s1", count: 3 }, "it failed with key-1234")
  await untilPasses(() => expect(receiver.requests).toHaveLength(1))
  const [{ path, body } = { path: "", body: Buffer.alloc(0) }] = receiver.requests
  expect(path).toBe("/v1/logs")
  expect(body.toString()).not.toContain("key-1234")
  const [{ resource, scopeLogs }] = JSON.parse(body.toString()).resourceLogs
  expect(resource.attributes).toContainEqual({ key: "service.name", value: { stringValue: "mine" } })
  const [record, ...others] = scopeLogs[0].logRecords
  expect(others).toEqual([])
  expect(record).toMatchObject({ severityText: "WARN", body: { stringValue: "it failed with [redacted]" } })
  for (const attribute of [
    { key: "session_id", value: { stringValue: "s1" } },
    { key: "count", value: { intValue: "3" } },
    { key: "exception.message", value: { stringValue: "no [redacted]" } },
  ])
    expect(record.attributes).toContainEqual(attribute)
  expect(written).toHaveLength(1)
})

it("nothing is sent without a receiver, or if a variable switches it off", () => {
  const common = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318/" }
  for (const env of [{}, { ...common, OTEL_LOGS_EXPORTER: "none" }, { ...common, OTEL_SDK_DISABLED: "true" }])
    expect(createLogExporter(env)).toBeUndefined()
  expect(otlpReceiver(common, "metrics")?.url).toBe("http://127.0.0.1:4318/v1/metrics")
  const own = { ...common, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://t/x", OTEL_EXPORTER_OTLP_HEADERS: "a=b%20c,d=%" }
  expect(otlpReceiver(own, "traces")).toMatchObject({ url: "http://t/x", headers: { a: "b c", d: "%" } })
})

it.each([
  [{ OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, "the protocol of OTEL_EXPORTER_OTLP_PROTOCOL is grpc; use http/protobuf"],
  [{ OTEL_LOGS_EXPORTER: "console" }, "OTEL_LOGS_EXPORTER is console; use otlp or none"],
])("what cannot be used is refused by name: %j", (env, problem) => {
  const common = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" }
  expect(otlpProblem({ ...common, ...env }, "logs")).toContain(`logs are not sent: ${problem}`)
  expect(createLogExporter({ ...common, ...env })).toBeUndefined()
  expect(otlpProblem(env, "logs")).toBeUndefined()
})

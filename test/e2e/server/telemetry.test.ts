import { afterAll, beforeAll, expect, it } from "vitest"
import { untilPasses } from "../../helpers/eventually.ts"
import { type OtlpReceiver, startOtlpReceiver } from "../../helpers/telemetry/otlp-receiver.ts"
import { createProject, type ProjectDirectory } from "../cli/program.ts"

let receiver: OtlpReceiver
let project: ProjectDirectory
beforeAll(async () => {
  receiver = await startOtlpReceiver()
  project = await createProject(
    { main: { conversations: [{ turns: [{ reply: { text: "Hello." } }] }] } },
    { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_METRIC_EXPORT_INTERVAL: "200" },
  )
})
afterAll(async () => {
  await project.remove()
  receiver.close()
})

it("a command and its service send the trace of its caller, and metrics", async () => {
  const [traceId, spanId] = ["0c".repeat(16), "0d".repeat(8)]
  const ended = await project.runWith({ TRACEPARENT: `00-${traceId}-${spanId}-01` }, "run", "-a", "Say hello.")
  expect(ended.code, ended.stderr).toBe(0)
  await untilPasses(() => {
    const spans = receiver.spans()
    expect(spans.map(({ name }) => name)).toEqual(expect.arrayContaining(["start general", "invoke_agent general"]))
    expect(new Set(spans.map((span) => span.traceId))).toEqual(new Set([traceId]))
    expect(spans.find(({ name }) => name === "start general")?.parentSpanId).toBe(spanId)
    const metrics = receiver.requests.filter(({ path }) => path === "/v1/metrics")
    expect(metrics.some(({ body }) => body.includes("adjutant_runs_total"))).toBe(true)
    expect(metrics.some(({ body }) => body.includes("temporal_"))).toBe(true)
  })
})

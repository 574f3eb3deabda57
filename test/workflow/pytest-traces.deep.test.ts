import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { execa } from "execa"
import { afterEach, beforeEach, expect } from "vitest"
import { untilPasses } from "../helpers/eventually.ts"
import { createFakeModel } from "../helpers/models/fake-model.ts"
import { type Harness, openHarness } from "../helpers/engine/workflow-harness.ts"
import { testWith } from "../helpers/needs.ts"
import { pythonProgram } from "../helpers/python-program.ts"
import { type OtlpReceiver, startOtlpReceiver } from "../helpers/telemetry/otlp-receiver.ts"

const pytest = pythonProgram("pytest")

/** Reads each request with the published schema of OTLP, and checks each span of the GenAI conventions. */
const checks = `
import base64, json, os, types
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from pytest_genai_semconv import assert_chat_span, assert_execute_tool_span, assert_genai_span_compliant, assert_invoke_agent_span

def value_of(value):
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [value_of(each) for each in value.array_value.values]
    return getattr(value, kind)

def spans():
    for body in json.load(open(os.environ["BODIES"])):
        request = ExportTraceServiceRequest.FromString(base64.b64decode(body))
        for resource in request.resource_spans:
            for scope in resource.scope_spans:
                yield from scope.spans

def test_spans():
    counts = {}
    for span in spans():
        assert len(span.trace_id) == 16 and len(span.span_id) == 8
        assert 0 < span.start_time_unix_nano <= span.end_time_unix_nano
        attributes = {each.key: value_of(each.value) for each in span.attributes}
        operation = attributes.get("gen_ai.operation.name")
        if not operation:
            continue
        kind = Span.SpanKind.Name(span.kind).replace("SPAN_KIND_", "")
        shown = types.SimpleNamespace(name=span.name, kind=types.SimpleNamespace(name=kind), attributes=attributes)
        assert_genai_span_compliant(shown)
        named = {"chat": assert_chat_span, "execute_tool": assert_execute_tool_span, "invoke_agent": assert_invoke_agent_span}
        named[operation](shown)
        counts[operation] = counts.get(operation, 0) + 1
    assert counts["invoke_agent"] >= 2 and counts["chat"] >= 3 and counts["execute_tool"] >= 1
`

let harness: Harness
let receiver: OtlpReceiver
let folder: string
beforeEach(async () => {
  receiver = await startOtlpReceiver()
  folder = await mkdtemp(path.join(tmpdir(), "adjutant-pytest-"))
})
afterEach(async () => {
  await harness.close()
  receiver.close()
  await rm(folder, { recursive: true, force: true })
})

testWith([pytest], "pytest-genai-semconv accepts the spans of a run with a sub-agent", async () => {
  const fake = createFakeModel(({ messages }, turn) => {
    if (!JSON.stringify(messages).includes("Parent.")) return { text: "Done." }
    return turn === 1 ? { calls: [["sessions_spawn", { task: "Child." }]] } : { text: "All done." }
  })
  harness = await openHarness({
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf",
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true",
    },
    // The conventions know no scripted provider.
    model: {
      respond: async (request) => ({ ...(await fake.respond(request)), provider: "anthropic", model: "claude-x" }),
    },
  })
  const { client, start } = harness
  expect(await client.wait(await start({ prompt: "Parent." }))).toMatchObject({ outcome: "completed" })
  const traces = () => receiver.requests.filter((request) => request.path === "/v1/traces")
  await untilPasses(() => expect(traces().length).toBeGreaterThanOrEqual(2))
  const bodies = path.join(folder, "bodies.json")
  await writeFile(bodies, JSON.stringify(traces().map(({ body }) => body.toString("base64"))))
  await writeFile(path.join(folder, "test_spans.py"), checks)
  const run = await execa(pytest.program, ["-q", "-p", "no:cacheprovider", folder], {
    ...{ cwd: folder, env: { BODIES: bodies }, reject: false, all: true },
  })
  expect(run.exitCode, run.all).toBe(0)
  expect(run.all).toContain("1 passed")
})

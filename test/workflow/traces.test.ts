import { createServer } from "node:http"
import { afterEach, beforeEach, expect, it } from "vitest"
import { untilPasses } from "../helpers/eventually.ts"
import { createFakeModel } from "../helpers/models/fake-model.ts"
import { type Harness, openHarness } from "../helpers/engine/workflow-harness.ts"
import { attributeOf, type OtlpReceiver, startOtlpReceiver } from "../helpers/telemetry/otlp-receiver.ts"

let harness: Harness
let receiver: OtlpReceiver
beforeEach(async () => {
  receiver = await startOtlpReceiver()
})
afterEach(async () => {
  await harness.close()
  receiver.close()
})

const envOf = (more: Readonly<Record<string, string>> = {}) => ({
  ...{ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_EXPORTER_OTLP_HEADERS: "x-key=k" },
  ...more,
})

const named = (start: string) => receiver.spans().filter(({ name }) => name.startsWith(start))

it("a run with a sub-agent and a pause is one trace, without any of its texts", async () => {
  harness = await openHarness({
    env: envOf(),
    model: createFakeModel(({ messages }, turn) => {
      const said = JSON.stringify(messages)
      if (!said.includes("PARENTtext")) return { text: "CHILDtext" }
      if (turn === 1) return { calls: [["sessions_spawn", { task: "TASKtext" }]] }
      return said.includes("ANSWERtext") ? { calls: [["finish", { result: "RESULTtext" }]] } : { text: "QUESTIONtext" }
    }),
  })
  const { client, start } = harness
  const [traceId, above] = ["0a".repeat(16), "0b".repeat(8)]
  const actor = { by: "mia", via: "cli", traceparent: `00-${traceId}-${above}-01` }
  const id = await start({ prompt: "PARENTtext", pause_on_approval: true, auto_approve: true, actor })
  expect(await client.wait(id)).toMatchObject({ outcome: "paused" })
  await client.send({ sessionId: id, text: "ANSWERtext", type: "message", actor: { by: "mia", via: "cli" } })
  expect(await client.wait(id)).toMatchObject({ outcome: "completed" })

  await untilPasses(() => expect(named("invoke_agent")).toHaveLength(2))
  const spans = receiver.spans()
  const root = spans.find((span) => attributeOf(span, "gen_ai.agent.id") === id)
  const child = spans.find((span) => span.name.startsWith("invoke_agent") && span !== root)
  const request = spans.find(({ spanId }) => spanId === root?.parentSpanId)
  expect(new Set(spans.map((span) => span.traceId))).toEqual(new Set([traceId]))
  expect(request).toMatchObject({ name: "start general", parentSpanId: above })
  expect(child?.parentSpanId).toBe(root?.spanId)
  expect(root?.events.map(({ name }) => name)).toContain("adjutant.pause")
  const below = spans.filter(({ parentSpanId }) => parentSpanId === root?.spanId)
  expect(below.map((span) => attributeOf(span, "gen_ai.operation.name"))).toEqual(
    expect.arrayContaining(["chat", "execute_tool", "invoke_agent"]),
  )
  const chat = below.find(({ name }) => name.startsWith("chat"))
  expect(attributeOf(chat, "gen_ai.usage.output_tokens")).toBe("5")
  expect(attributeOf(chat, "gen_ai.response.finish_reasons")).toEqual({ values: [{ stringValue: "tool_calls" }] })
  expect(receiver.requests.every(({ key }) => key === "k")).toBe(true)
  for (const text of ["PARENTtext", "CHILDtext", "TASKtext", "QUESTIONtext", "ANSWERtext", "RESULTtext"])
    for (const { body } of receiver.requests) expect(body.toString()).not.toContain(text)
})

it("a task whose run was terminated is in a trace, with its delivery", async () => {
  const hooks = createServer((_request, response) => response.end())
  await new Promise<void>((resolve) => hooks.listen(0, "127.0.0.1", resolve))
  const address = hooks.address()
  const url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
  harness = await openHarness({
    env: envOf({ HOOK_SECRET: `whsec_${Buffer.alloc(24).toString("base64")}` }),
    config: { webhooks: [{ url, secretEnv: "HOOK_SECRET", events: ["run-finished"] }] },
    model: createFakeModel(() => ({ text: "Is that enough?" })),
  })
  try {
    const { client, start, handle } = harness
    const id = await start({ prompt: "Wait.", pause_on_approval: true })
    expect(await client.wait(id)).toMatchObject({ outcome: "paused" })
    await handle(id).terminate("by hand")
    await client.reconcile({ dryRun: false }, { by: "mia", via: "cli" })
    expect(await client.info(id)).toMatchObject({ stop_reason: "terminated" })
    await untilPasses(() => {
      const [run] = named("invoke_agent")
      expect(run?.status).toMatchObject({ code: 2, message: "terminated" })
      expect(named("deliver run-finished")[0]).toMatchObject({ traceId: run?.traceId, parentSpanId: run?.spanId })
    })
  } finally {
    hooks.close()
  }
})

it("texts are in spans on request, without secrets, and in the binary form if that is asked for", async () => {
  harness = await openHarness({
    env: envOf({
      ...{ OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true", LLM_API_KEY: "sk-very-secret" },
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf",
    }),
    model: createFakeModel(() => ({ text: "ANSWERtext with sk-very-secret" })),
  })
  const { client, start } = harness
  expect(await client.wait(await start({ prompt: "PROMPTtext" }))).toMatchObject({ outcome: "completed" })
  await untilPasses(() => {
    const [traces] = receiver.requests.filter(({ path }) => path === "/v1/traces")
    expect(traces?.type).toBe("application/x-protobuf")
    for (const text of ["PROMPTtext", "ANSWERtext", "gen_ai.output.messages", "invoke_agent general"])
      expect(traces?.body.includes(text)).toBe(true)
    expect(traces?.body.includes("sk-very-secret")).toBe(false)
  })
})

import { createServer } from "node:http"
import { afterEach, expect, it } from "vitest"
import { untilPasses } from "../helpers/eventually.ts"
import { createFakeModel } from "../helpers/models/fake-model.ts"
import { type Harness, openHarness } from "../helpers/engine/workflow-harness.ts"

interface ReceivedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[]
  readonly events: readonly { readonly name: string }[]
}

let harness: Harness
let closeReceiver = (): void => undefined
afterEach(async () => {
  await harness.close()
  closeReceiver()
})

/** A receiver of OTLP over HTTP that keeps what it gets. */
const startReceiver = async () => {
  const bodies: string[] = []
  const server = createServer((request, response) => {
    let body = ""
    request.on("data", (part: Buffer) => (body += part.toString()))
    request.on("end", () => {
      if (request.url === "/v1/traces" && request.headers["x-key"] === "k") bodies.push(body)
      response.end("{}")
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  closeReceiver = () => void server.close()
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  const spans = (): readonly ReceivedSpan[] =>
    bodies.flatMap((body) =>
      JSON.parse(body).resourceSpans.flatMap((resource: { scopeSpans: readonly { spans: ReceivedSpan[] }[] }) =>
        resource.scopeSpans.flatMap((scope) => scope.spans),
      ),
    )
  return { url: `http://127.0.0.1:${port}`, spans, bodies }
}

it("a run with a sub-agent and a pause is one trace, without any of its texts", async () => {
  const receiver = await startReceiver()
  harness = await openHarness({
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_EXPORTER_OTLP_HEADERS: "x-key=k" },
    model: createFakeModel(({ messages }, turn) => {
      const said = JSON.stringify(messages)
      if (!said.includes("PARENTtext")) return { text: "CHILDtext" }
      if (turn === 1) return { calls: [["sessions_spawn", { task: "TASKtext" }]] }
      return said.includes("ANSWERtext") ? { calls: [["finish", { result: "RESULTtext" }]] } : { text: "QUESTIONtext" }
    }),
  })
  const { client, start } = harness
  const id = await start({ prompt: "PARENTtext", pause_on_approval: true, auto_approve: true })
  expect(await client.wait(id)).toMatchObject({ outcome: "paused" })
  await client.send({ sessionId: id, text: "ANSWERtext", type: "message", actor: { by: "mia", via: "cli" } })
  expect(await client.wait(id)).toMatchObject({ outcome: "completed" })

  await untilPasses(() => {
    expect(receiver.spans().filter(({ name }) => name.startsWith("invoke_agent"))).toHaveLength(2)
  })
  const spans = receiver.spans()
  const attribute = (span: ReceivedSpan | undefined, name: string) =>
    Object.values(span?.attributes.find(({ key }) => key === name)?.value ?? {})[0]
  const root = spans.find((span) => attribute(span, "gen_ai.agent.id") === id)
  const child = spans.find((span) => span.name.startsWith("invoke_agent") && span !== root)
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1)
  expect(root?.parentSpanId).toBeUndefined()
  expect(child?.parentSpanId).toBe(root?.spanId)
  expect(root?.events.map(({ name }) => name)).toContain("adjutant.pause")
  const below = spans.filter(({ parentSpanId }) => parentSpanId === root?.spanId)
  expect(below.map((span) => attribute(span, "gen_ai.operation.name"))).toEqual(
    expect.arrayContaining(["chat", "execute_tool", "invoke_agent"]),
  )
  expect(
    attribute(
      below.find(({ name }) => name.startsWith("chat")),
      "gen_ai.usage.output_tokens",
    ),
  ).toBe("5")
  for (const text of ["PARENTtext", "CHILDtext", "TASKtext", "QUESTIONtext", "ANSWERtext", "RESULTtext"])
    expect(receiver.bodies.join("")).not.toContain(text)
})

import { createHash } from "node:crypto"
import { describe, expect, it } from "vitest"
import type { SessionEvent } from "../../../../contracts/event.ts"
import type { Message } from "../../../../contracts/message.ts"
import { createRedact } from "../../../../domain/text/redact.ts"
import { spanOfDelivery, spansOfRun, type TracedRun } from "../../../../domain/trace/run-spans.ts"
import { createSpanContents } from "../../../../domain/trace/span-contents.ts"
import { parseTraceparent } from "../../../../domain/trace/trace-context.ts"

const idOf = (text: string, digits: number): string => createHash("sha256").update(text).digest("hex").slice(0, digits)

const event = (id: number, type: SessionEvent["type"], data: object = {}): SessionEvent => ({
  ...{ id, type, session_id: "s1", run_id: "r1", at: new Date(id * 1_000).toISOString() },
  ...data,
})

const usage = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 }
const answer: Message = {
  ...{ role: "assistant", provider: "openai-compatible", model: "gpt-x", stop: "tool_calls", usage },
  parts: [
    { type: "text", text: "I read it with key-1234." },
    { type: "tool_call", call: { id: "c1", name: "Read", arguments: { file_path: "key-1234.md" } } },
  ],
}
const rows = [
  { step: 0, message: { role: "user", source: "instruction", text: "Read key-1234." } },
  { step: 1, message: answer },
  { step: 1, message: { role: "tool", call_id: "c1", name: "Read", outcome: "ok", content: "text of key-1234" } },
] as const satisfies TracedRun["rows"]

const completed = [
  event(1, "run-started"),
  event(2, "step-started", { step: 1 }),
  event(4, "usage-updated", { step: 1, input_tokens: 10, output_tokens: 5, cache_read_tokens: 7, cost_usd: 0.25 }),
  event(5, "run-paused", { pause_reason: { type: "tool_approval_required" } }),
  event(9, "decision-recorded", { decisions: { c1: "approve", c2: "approve" }, by: "mia", via: "http" }),
  event(10, "tool-started", { call_id: "c1", name: "Read" }),
  event(11, "tool-finished", { call_id: "c1", name: "Read", outcome: "ok" }),
  event(12, "run-finished", { status: "completed", stop_reason: "completed", steps_taken: 1 }),
]

const run = (over: Partial<TracedRun> = {}): TracedRun => ({
  ...{ sessionId: "s1", runId: "r1", agent: "general", model: "main", rootRunId: "r1", requestedMs: 500 },
  ...{ events: completed, rows },
  ...over,
})

describe("the spans of a run", () => {
  it("are its request, the run, and each call with its model, usage and finish reason", () => {
    const [request, whole, chat, tool] = spansOfRun(run(), idOf)
    expect(request).toMatchObject({ name: "start general", kind: "client", startMs: 500, endMs: 1_000 })
    expect(request?.parentSpanId).toBeUndefined()
    expect(whole).toMatchObject({ name: "invoke_agent general", parentSpanId: request?.spanId, startMs: 1_000 })
    expect(chat).toMatchObject({ name: "chat gpt-x", parentSpanId: whole?.spanId, startMs: 2_000, endMs: 4_000 })
    expect(chat?.attributes).toMatchObject({
      "gen_ai.provider.name": "openai",
      "gen_ai.request.model": "gpt-x",
      "gen_ai.response.finish_reasons": ["tool_calls"],
      "gen_ai.usage.input_tokens": 17,
      "adjutant.cost_usd": 0.25,
    })
    expect(tool).toMatchObject({ name: "execute_tool Read", parentSpanId: whole?.spanId, startMs: 10_000 })
    expect(new Set([request, whole, chat, tool].map((span) => span?.traceId)).size).toBe(1)
  })

  it("have each pause, and each decision with the time that it was waited for, its way and its kind", () => {
    expect(spansOfRun(run(), idOf)[1]?.events).toMatchObject([
      { name: "adjutant.pause", attributes: { "adjutant.pause.reason": "tool_approval_required" } },
      {
        name: "adjutant.decision",
        attributes: { "adjutant.wait_seconds": 4, "adjutant.via": "http", "adjutant.decisions": ["approve"] },
      },
    ])
  })

  it("belong to the trace of the program that requested the run", () => {
    const context = parseTraceparent(`00-${"a".repeat(32)}-${"b".repeat(16)}-01`)
    const [request, ...others] = spansOfRun(run({ context }), idOf)
    expect(request).toMatchObject({ traceId: "a".repeat(32), parentSpanId: "b".repeat(16) })
    for (const span of others) expect(span.traceId).toBe("a".repeat(32))
    const child = spansOfRun(run({ context, parentRunId: "r0", rootRunId: "r0" }), idOf)
    expect(child[0]).toMatchObject({ name: "invoke_agent general", traceId: "a".repeat(32) })
  })

  it("end with a run that was killed, also those of calls that it left open", () => {
    const events = [
      ...completed.slice(0, 3),
      event(6, "tool-started", { call_id: "c1", name: "Bash" }),
      event(7, "step-started", { step: 2 }),
      event(8, "run-finished", { status: "failed", stop_reason: "terminated", steps_taken: 1 }),
    ]
    const spans = spansOfRun(run({ events }), idOf)
    expect(spans.map(({ name, endMs, error }) => [name, endMs, error])).toEqual([
      ["start general", 1_000, undefined],
      ["invoke_agent general", 8_000, "terminated"],
      ["chat gpt-x", 4_000, undefined],
      ["chat main", 8_000, "terminated"],
      ["execute_tool Bash", 8_000, "terminated"],
    ])
  })

  it("have no text unless it is requested, and then without secrets", () => {
    const texts = ["I read", "Read key", "text of", ".md"]
    for (const text of texts) expect(JSON.stringify(spansOfRun(run(), idOf))).not.toContain(text)
    const spans = spansOfRun(run({ contents: createSpanContents(createRedact(["key-1234"])) }), idOf)
    const [, , chat, tool] = spans
    for (const text of texts) expect(JSON.stringify(spans)).toContain(text.replace("Read key", "Read ["))
    expect(JSON.stringify(spans)).not.toContain("key-1234")
    expect(JSON.parse(String(chat?.attributes["gen_ai.input.messages"]))).toEqual([
      { role: "user", parts: [{ type: "text", content: "Read [redacted]." }] },
    ])
    expect(tool?.attributes).toMatchObject({
      "gen_ai.tool.call.arguments": '{"file_path":"[redacted].md"}',
      "gen_ai.tool.call.result": "text of [redacted]",
    })
  })
})

it("the span of a delivery is below its run, and says whether it was given up", () => {
  const delivery = {
    ...{ rootRunId: "r1", runId: "r1", key: "d1", kind: "webhook", event: "run-finished", attempts: 3 },
    ...{ createdMs: 1, endedMs: 9, isDelivered: false },
  }
  const [, whole] = spansOfRun(run(), idOf)
  expect(spanOfDelivery(delivery, idOf)).toMatchObject({
    ...{ name: "deliver run-finished", traceId: whole?.traceId, parentSpanId: whole?.spanId, error: "given_up" },
    attributes: { "adjutant.delivery.attempts": 3 },
  })
})

describe("a traceparent", () => {
  const [trace, span] = ["a".repeat(32), "b".repeat(16)]
  it("says whether its trace is recorded", () => {
    expect(parseTraceparent(`00-${trace}-${span}-01`)).toEqual({ traceId: trace, spanId: span, isSampled: true })
    expect(parseTraceparent(`00-${trace}-${span}-00`)?.isSampled).toBe(false)
    expect(parseTraceparent(`cc-${trace}-${span}-03-of a later version`)?.isSampled).toBe(true)
  })

  it.each([undefined, 1, "", "x", `ff-${trace}-${span}-01`, `00-${"0".repeat(32)}-${span}-01`, `00-${trace}-${span}`])(
    "is ignored if it is not valid: %s",
    (text) => expect(parseTraceparent(text)).toBeUndefined(),
  )
})

import type { SessionEvent } from "../../contracts/event.ts"

export type AttributeValue = string | number | boolean

/** A span of OpenTelemetry. Its ids are hexadecimal; times are milliseconds since the epoch. */
export interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: "internal" | "client"
  readonly startMs: number
  readonly endMs: number
  readonly attributes: Readonly<Record<string, AttributeValue>>
  readonly events: readonly {
    readonly name: string
    readonly atMs: number
    readonly attributes: Readonly<Record<string, AttributeValue>>
  }[]
  /** What failed; absent if nothing did. */
  readonly error?: string
}

/** A run, and where its trace begins. */
export interface TracedRun {
  readonly sessionId: string
  readonly runId: string
  readonly agent: string
  readonly model: string
  /** The first run of the trace: that of the task at the root of the tree. */
  readonly rootRunId: string
  /** The run that started this one; undefined at the root. */
  readonly parentRunId?: string | undefined
  readonly events: readonly SessionEvent[]
}

/** Returns the beginning of a hash in hexadecimal digits: the same text has the same id in every process and attempt. */
export type IdOf = (text: string, digits: number) => string

const traceDigits = 32
const spanDigits = 16

const textOf = (value: unknown): string => (typeof value === "string" ? value : "")
const numberOf = (value: unknown): number => (typeof value === "number" ? value : 0)
const timeOf = ({ at }: SessionEvent): number => Date.parse(at)

type Base = Pick<Span, "traceId" | "parentSpanId">

/** One span for each step: from its beginning until its usage is known. */
const chatSpans = ({ events, model, runId }: TracedRun, base: Base, idOf: IdOf): readonly Span[] => {
  const begun = new Map<number, number>()
  return events.flatMap((event): readonly Span[] => {
    const step = numberOf(event["step"])
    if (event.type === "step-started") begun.set(step, timeOf(event))
    const startMs = begun.get(step)
    if (event.type !== "usage-updated" || startMs === undefined) return []
    const attributes = {
      "gen_ai.operation.name": "chat",
      "gen_ai.request.model": model,
      "gen_ai.usage.input_tokens": numberOf(event["input_tokens"]) + numberOf(event["cache_read_tokens"]),
      "gen_ai.usage.output_tokens": numberOf(event["output_tokens"]),
      "adjutant.step": step,
    }
    const spanId = idOf(`chat ${runId} ${step} ${event.id}`, spanDigits)
    return [
      { ...base, spanId, name: `chat ${model}`, kind: "client", startMs, endMs: timeOf(event), attributes, events: [] },
    ]
  })
}

/** One span for each call that was executed. */
const toolSpans = ({ events, runId }: TracedRun, base: Base, idOf: IdOf): readonly Span[] => {
  const begun = new Map<string, number>()
  return events.flatMap((event): readonly Span[] => {
    const callId = textOf(event["call_id"])
    if (event.type === "tool-started") begun.set(callId, timeOf(event))
    if (event.type !== "tool-finished") return []
    const name = textOf(event["name"])
    const outcome = textOf(event["outcome"])
    const endMs = timeOf(event)
    const attributes = {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": name,
      "gen_ai.tool.call.id": callId,
      "adjutant.tool.outcome": outcome,
    }
    const span: Span = {
      ...base,
      ...{ spanId: idOf(`tool ${runId} ${callId}`, spanDigits), name: `execute_tool ${name}`, kind: "internal" },
      ...{ startMs: begun.get(callId) ?? endMs - numberOf(event["duration_ms"]), endMs, attributes, events: [] },
    }
    return [outcome === "ok" || outcome === "custom" ? span : { ...span, error: outcome }]
  })
}

/** The pauses as events of the run: when each began, and how long it took until a decision and through which channel. */
const pauseEvents = (events: readonly SessionEvent[]): Span["events"] => {
  let pausedMs: number | undefined
  return events.flatMap((event): Span["events"] => {
    const atMs = timeOf(event)
    if (event.type === "run-paused") {
      pausedMs = atMs
      const reason = event["pause_reason"]
      const type = typeof reason === "object" && reason !== null ? textOf(Reflect.get(reason, "type")) : ""
      return [{ name: "adjutant.pause", atMs, attributes: { "adjutant.pause.reason": type } }]
    }
    if (event.type !== "decision-recorded" || pausedMs === undefined) return []
    const attributes = {
      "adjutant.wait_seconds": (atMs - pausedMs) / 1_000,
      "adjutant.via": textOf(event["via"]),
      "adjutant.decision": textOf(event["action"]),
    }
    return [{ name: "adjutant.decision", atMs, attributes }]
  })
}

/** Returns the id of the span of a whole run. */
export const runSpanId = (runId: string, idOf: IdOf): string => idOf(`run ${runId}`, spanDigits)

/**
 * Returns the spans of a run that has ended, from its events: the run itself, its model calls and its tool calls. All runs of a tree have one trace.
 * None contains a text of a prompt, an answer, an argument or a result.
 */
export const spansOfRun = (run: TracedRun, idOf: IdOf): readonly Span[] => {
  const { agent, model, sessionId, runId, parentRunId } = run
  const events = run.events.filter((event) => event.run_id === runId)
  const [first] = events
  const finished = events.findLast(({ type }) => type === "run-finished")
  if (first === undefined || finished === undefined) return []
  const spanId = runSpanId(runId, idOf)
  const traceId = idOf(`trace ${run.rootRunId}`, traceDigits)
  const stopReason = textOf(finished["stop_reason"])
  const status = textOf(finished["status"])
  const whole: Span = {
    ...{ traceId, spanId, name: `invoke_agent ${agent}`, kind: "internal" },
    ...(parentRunId === undefined ? {} : { parentSpanId: runSpanId(parentRunId, idOf) }),
    ...{ startMs: timeOf(first), endMs: timeOf(finished) },
    attributes: {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": agent,
      "gen_ai.agent.id": sessionId,
      "gen_ai.conversation.id": sessionId,
      "gen_ai.request.model": model,
      "adjutant.run.id": runId,
      "adjutant.run.status": status,
      "adjutant.run.stop_reason": stopReason,
      "adjutant.run.steps": numberOf(finished["steps_taken"]),
    },
    events: pauseEvents(events),
    ...(status === "completed" ? {} : { error: stopReason === "" ? status : stopReason }),
  }
  const own = { ...run, events }
  const base = { traceId, parentSpanId: spanId }
  return [whole, ...chatSpans(own, base, idOf), ...toolSpans(own, base, idOf)]
}

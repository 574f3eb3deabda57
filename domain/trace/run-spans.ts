import type { SessionEvent } from "../../contracts/event.ts"
import {
  type CallBase,
  chatSpans,
  eventNumber,
  eventText,
  eventTime,
  toolSpans,
  type TracedCalls,
} from "./call-spans.ts"
import { type IdOf, ownTraceId, runSpanId, type Span, type SpanBase, type SpanEvent, spanIdOf } from "./span.ts"
import type { TraceContext } from "./trace-context.ts"

/** Which trace a run belongs to. */
export interface TraceOrigin {
  /** The first run of the trace: that of the task at the root of the tree. */
  readonly rootRunId: string
  /** The run that started this one; undefined at the root. */
  readonly parentRunId?: string | undefined
  /** The span of the program that requested the first run, if it named one. */
  readonly context?: TraceContext | undefined
}

/** A run, and where its trace begins. */
export interface TracedRun extends TracedCalls, TraceOrigin {
  readonly sessionId: string
  readonly agent: string
  /** When the run was requested, in milliseconds since the epoch. */
  readonly requestedMs: number
}

/** Returns the trace of a run, and the span above it. */
const originBase = ({ rootRunId, parentRunId, context }: TraceOrigin, idOf: IdOf): SpanBase => {
  const traceId = context?.traceId ?? ownTraceId(rootRunId, idOf)
  if (parentRunId !== undefined) return { traceId, parentSpanId: runSpanId(parentRunId, idOf) }
  return context === undefined ? { traceId } : { traceId, parentSpanId: context.spanId }
}

const decisionActions = (event: SessionEvent): readonly string[] => {
  const decisions = event["decisions"]
  return typeof decisions === "object" && decisions !== null
    ? [...new Set(Object.values(decisions).map(eventText))]
    : []
}

/** Returns the pauses as events of the run's span: when each began, how long it took, and through which channel it was decided. */
const pauseEvents = (events: readonly SessionEvent[]): readonly SpanEvent[] => {
  let pausedMs: number | undefined
  return events.flatMap((event): readonly SpanEvent[] => {
    const atMs = eventTime(event)
    if (event.type === "run-paused") {
      pausedMs = atMs
      const reason = event["pause_reason"]
      const type = typeof reason === "object" && reason !== null ? eventText(Reflect.get(reason, "type")) : ""
      return [{ name: "adjutant.pause", atMs, attributes: { "adjutant.pause.reason": type } }]
    }
    if (event.type !== "decision-recorded" || pausedMs === undefined) return []
    const attributes = {
      "adjutant.wait_seconds": (atMs - pausedMs) / 1_000,
      "adjutant.via": eventText(event["via"]),
      "adjutant.decisions": decisionActions(event),
    }
    return [{ name: "adjutant.decision", atMs, attributes }]
  })
}

/** The span of the request: from its acceptance until a worker began the run. */
const requestSpan = (run: TracedRun, base: SpanBase, times: Pick<Span, "endMs"> & { readonly idOf: IdOf }): Span => ({
  ...base,
  ...{ spanId: spanIdOf(`request ${run.runId}`, times.idOf), name: `start ${run.agent}`, kind: "client", events: [] },
  ...{ startMs: run.requestedMs, endMs: times.endMs },
  attributes: { "adjutant.run.id": run.runId, "adjutant.session.id": run.sessionId },
})

/**
 * Returns the spans of a run that has ended, from its events: its request, the run itself, its model calls and its tool calls. All runs of a tree have
 * one trace. None contains a text of a prompt, an answer, an argument or a result, unless `contents` adds them.
 */
export const spansOfRun = (run: TracedRun, idOf: IdOf): readonly Span[] => {
  const { agent, model, sessionId, runId, parentRunId } = run
  const events = run.events.filter((event) => event.run_id === runId)
  const [first] = events
  const finished = events.findLast(({ type }) => type === "run-finished")
  if (first === undefined || finished === undefined) return []
  const above = originBase(run, idOf)
  const startMs = eventTime(first)
  const request = parentRunId === undefined ? [requestSpan(run, above, { endMs: startMs, idOf })] : []
  const base = { traceId: above.traceId, parentSpanId: runSpanId(runId, idOf) }
  const stopReason = eventText(finished["stop_reason"])
  const status = eventText(finished["status"])
  const error = status === "completed" ? undefined : stopReason || status
  const whole: Span = {
    ...above,
    ...(request[0] === undefined ? {} : { parentSpanId: request[0].spanId }),
    ...{ spanId: base.parentSpanId, name: `invoke_agent ${agent}`, kind: "internal" },
    ...{ startMs, endMs: eventTime(finished) },
    attributes: {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": agent,
      "gen_ai.agent.id": sessionId,
      "gen_ai.conversation.id": sessionId,
      "gen_ai.request.model": model,
      "adjutant.run.id": runId,
      "adjutant.run.status": status,
      "adjutant.run.stop_reason": stopReason,
      "adjutant.run.steps": eventNumber(finished["steps_taken"]),
    },
    events: pauseEvents(events),
    ...(error === undefined ? {} : { error }),
  }
  const calls: CallBase = { base, idOf, end: { atMs: whole.endMs, error } }
  const own = { ...run, events }
  return [...request, whole, ...chatSpans(own, calls), ...toolSpans(own, calls)]
}

/** A message about a run that was delivered or given up. */
export interface TracedDelivery extends TraceOrigin {
  readonly key: string
  readonly runId: string
  readonly kind: string
  readonly event: string
  readonly attempts: number
  readonly createdMs: number
  readonly endedMs: number
  readonly isDelivered: boolean
}

/** Returns the span of a delivery, below the run that it is about: from its first planning until it was delivered or given up. */
export const spanOfDelivery = (delivery: TracedDelivery, idOf: IdOf): Span => ({
  traceId: originBase(delivery, idOf).traceId,
  ...{ parentSpanId: runSpanId(delivery.runId, idOf), spanId: spanIdOf(`delivery ${delivery.key}`, idOf) },
  ...{ name: `deliver ${delivery.event}`, kind: "client", events: [] },
  ...{ startMs: delivery.createdMs, endMs: delivery.endedMs },
  attributes: {
    "adjutant.delivery.id": delivery.key,
    "adjutant.delivery.kind": delivery.kind,
    "adjutant.delivery.attempts": delivery.attempts,
  },
  ...(delivery.isDelivered ? {} : { error: "given_up" }),
})

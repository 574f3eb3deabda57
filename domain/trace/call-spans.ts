import type { SessionEvent } from "../../contracts/event.ts"
import type { AssistantMessage, Message } from "../../contracts/message.ts"
import type { Attributes, IdOf, Span, SpanBase } from "./span.ts"
import { spanIdOf } from "./span.ts"
import type { SpanContents } from "./span-contents.ts"

export const eventText = (value: unknown): string => (typeof value === "string" ? value : "")
export const eventNumber = (value: unknown): number => (typeof value === "number" ? value : 0)
export const eventTime = ({ at }: SessionEvent): number => Date.parse(at)

/** What the spans of a run's calls are made of. */
export interface TracedCalls {
  readonly runId: string
  /** The configured name of the model. */
  readonly model: string
  /** The events of the run, in their order. */
  readonly events: readonly SessionEvent[]
  /** The rows that the run added to the transcript, in their order. */
  readonly rows: readonly { readonly step: number; readonly message: Message }[]
  /** Adds the texts; absent: there are none in spans. */
  readonly contents?: SpanContents | undefined
}

/** Where calls belong, and how a run ended that left some of them open. */
export interface CallBase {
  readonly base: SpanBase
  readonly idOf: IdOf
  readonly end: { readonly atMs: number; readonly error: string | undefined }
}

/** The names of the GenAI conventions. An OpenAI-compatible server cannot be told from OpenAI. */
const providerNames: Readonly<Record<string, string>> = {
  "openai-compatible": "openai",
  "azure-openai": "azure.ai.openai",
}
const finishReasons: Readonly<Partial<Record<AssistantMessage["stop"], string>>> = {
  end_turn: "stop",
  max_tokens: "length",
  refusal: "content_filter",
}

interface Answer {
  readonly message: AssistantMessage
  readonly before: readonly Message[]
}

/** Returns the answers of each step, in their order, each with what was added to the transcript since the answer before it. */
const answersByStep = ({ rows }: TracedCalls): ReadonlyMap<number, Answer[]> => {
  const answers = new Map<number, Answer[]>()
  let before: Message[] = []
  for (const { step, message } of rows) {
    if (message.role === "assistant") {
      answers.set(step, [...(answers.get(step) ?? []), { message, before }])
      before = []
    } else before.push(message)
  }
  return answers
}

const answerAttributes = ({ contents }: TracedCalls, answer: Answer | undefined): Attributes => {
  if (answer === undefined) return {}
  const { provider, model, stop } = answer.message
  return {
    "gen_ai.provider.name": providerNames[provider] ?? provider,
    "gen_ai.request.model": model,
    "gen_ai.response.finish_reasons": [finishReasons[stop] ?? stop],
    ...contents?.ofCall(answer.message, answer.before),
  }
}

/** Returns one span for each model call: from the beginning of its step until its usage is known. A call that the end of the run cut off ends with it. */
export const chatSpans = (run: TracedCalls, { base, idOf, end }: CallBase): readonly Span[] => {
  const begun = new Map<number, number>()
  const answers = answersByStep(run)
  let lastMs = 0
  const span = (step: number, id: string, times: Pick<Span, "startMs" | "endMs">, attributes: Attributes): Span => ({
    ...base,
    ...times,
    ...{ spanId: spanIdOf(`chat ${run.runId} ${step} ${id}`, idOf), kind: "client", events: [] },
    name: `chat ${eventText(attributes["gen_ai.request.model"]) || run.model}`,
    attributes: {
      "gen_ai.operation.name": "chat",
      "gen_ai.request.model": run.model,
      "adjutant.model": run.model,
      "adjutant.step": step,
      ...attributes,
    },
  })
  const made = run.events.flatMap((event): readonly Span[] => {
    const step = eventNumber(event["step"])
    const startMs = begun.get(step) ?? lastMs
    lastMs = eventTime(event)
    if (event.type === "step-started") begun.set(step, lastMs)
    if (event.type !== "usage-updated") return []
    begun.delete(step)
    const usage = {
      "gen_ai.usage.input_tokens":
        eventNumber(event["input_tokens"]) +
        eventNumber(event["cache_read_tokens"]) +
        eventNumber(event["cache_write_tokens"]),
      "gen_ai.usage.output_tokens": eventNumber(event["output_tokens"]),
      "gen_ai.usage.cache_read.input_tokens": eventNumber(event["cache_read_tokens"]),
      "gen_ai.usage.cache_creation.input_tokens": eventNumber(event["cache_write_tokens"]),
      ...(typeof event["cost_usd"] === "number" ? { "adjutant.cost_usd": event["cost_usd"] } : {}),
    }
    const attributes = { ...usage, ...answerAttributes(run, answers.get(step)?.shift()) }
    return [span(step, String(event.id), { startMs, endMs: lastMs }, attributes)]
  })
  if (end.error === undefined) return made
  const { error, atMs } = end
  return [
    ...made,
    ...[...begun].map(([step, startMs]) => ({ ...span(step, "cut", { startMs, endMs: atMs }, {}), error })),
  ]
}

/** Returns the arguments of each call by its id, in the order of the calls. */
const argumentsById = ({ rows }: TracedCalls): ReadonlyMap<string, unknown[]> => {
  const found = new Map<string, unknown[]>()
  for (const { message } of rows)
    for (const part of message.role === "assistant" ? message.parts : [])
      if (part.type === "tool_call")
        found.set(part.call.id, [...(found.get(part.call.id) ?? []), part.call.arguments ?? part.call.raw_arguments])
  return found
}

const resultsById = ({ rows }: TracedCalls): ReadonlyMap<string, string[]> => {
  const found = new Map<string, string[]>()
  for (const { message } of rows)
    if (message.role === "tool") found.set(message.call_id, [...(found.get(message.call_id) ?? []), message.content])
  return found
}

/** Returns one span for each tool call that was executed or decided. A call that the end of the run cut off ends with it. */
export const toolSpans = (run: TracedCalls, { base, idOf, end }: CallBase): readonly Span[] => {
  const begun = new Map<string, { readonly atMs: number; readonly name: string }>()
  const args = argumentsById(run)
  const results = resultsById(run)
  const span = (
    callId: string,
    name: string,
    times: Pick<Span, "startMs" | "endMs">,
    attributes: Attributes,
  ): Span => ({
    ...base,
    ...times,
    ...{ spanId: spanIdOf(`tool ${run.runId} ${callId} ${times.startMs}`, idOf), kind: "internal", events: [] },
    name: `execute_tool ${name}`,
    attributes: {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": name,
      "gen_ai.tool.call.id": callId,
      ...attributes,
    },
  })
  const made = run.events.flatMap((event): readonly Span[] => {
    const callId = eventText(event["call_id"])
    const name = eventText(event["name"])
    if (event.type === "tool-started") begun.set(callId, { atMs: eventTime(event), name })
    if (event.type !== "tool-finished") return []
    const outcome = eventText(event["outcome"])
    const endMs = eventTime(event)
    const startMs = begun.get(callId)?.atMs ?? endMs - eventNumber(event["duration_ms"])
    begun.delete(callId)
    const texts = run.contents?.ofTool(args.get(callId)?.shift(), results.get(callId)?.shift() ?? "")
    const finished = span(callId, name, { startMs, endMs }, { "adjutant.tool.outcome": outcome, ...texts })
    return [outcome === "ok" || outcome === "custom" ? finished : { ...finished, error: outcome }]
  })
  if (end.error === undefined) return made
  const { error, atMs: endMs } = end
  const open = [...begun].map(([callId, { atMs, name }]) => ({
    ...span(callId, name, { startMs: atMs, endMs }, { "adjutant.tool.outcome": "unknown" }),
    error,
  }))
  return [...made, ...open]
}

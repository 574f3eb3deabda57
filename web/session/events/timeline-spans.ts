import type { EventType, SessionEvent } from "../../../contracts/event.ts"
import { money, tokens } from "../../shown/figures.ts"
import { eventFields } from "../../state/event-fields.ts"

export interface TimelineSpan {
  readonly key: string
  readonly kind: "model" | "tool" | "wait" | "child" | "retry"
  readonly name: string
  readonly fromMs: number
  /** Undefined while it goes on. */
  readonly toMs: number | undefined
  /** The run, and its step, that it belongs to. */
  readonly runId: string
  readonly step: number | undefined
  readonly childId?: string
  readonly callId?: string
  readonly note?: string
}

type Open = Omit<TimelineSpan, "toMs">

/** Collects spans as their beginnings and ends are reported. */
const createRecorder = () => {
  const done: TimelineSpan[] = []
  const open = new Map<string, Open>()
  let step: number | undefined
  const end = (event: SessionEvent, key: string, note?: string): void => {
    const span = open.get(key)
    if (span === undefined) return
    open.delete(key)
    done.push({ ...span, toMs: Date.parse(event.at), ...(note === undefined ? {} : { note }) })
  }
  return {
    end,
    begin: (
      event: SessionEvent,
      key: string,
      span: Pick<Open, "kind" | "name" | "childId" | "callId" | "note">,
    ): void => {
      open.set(key, { key: `${event.id}`, fromMs: Date.parse(event.at), runId: event.run_id, step, ...span })
    },
    endAll: (event: SessionEvent, note: string | undefined): void => {
      for (const key of open.keys()) end(event, key, note)
    },
    atStep: (number: number | undefined): void => {
      step = number ?? step
    },
    all: (): readonly TimelineSpan[] => [
      ...done,
      ...[...open.values()].map((span): TimelineSpan => ({ ...span, toMs: undefined })),
    ],
  }
}
type Recorder = ReturnType<typeof createRecorder>
type Taken = (recorder: Recorder, event: SessionEvent, fields: ReturnType<typeof eventFields>) => void

/** What a call of the model used and cost. */
const usageNote = (event: SessionEvent): string | undefined => {
  const { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_usd } = eventFields(event)
  const count = [input_tokens, output_tokens, cache_read_tokens, cache_write_tokens].reduce<number>(
    (sum, each) => sum + (each ?? 0),
    0,
  )
  return count === 0 ? undefined : `${tokens(count)}${cost_usd == null ? "" : `, ${money(cost_usd)}`}`
}

const takers: Partial<Readonly<Record<EventType, Taken>>> = {
  "step-started": (recorder, event, { step }) => {
    recorder.atStep(step)
    recorder.end(event, "wait")
    recorder.begin(event, "model", { kind: "model", name: "Model" })
  },
  "model-retry": (recorder, event, { reason = "", attempt = 0 }) => {
    recorder.end(event, "model", `failed: ${reason}`)
    recorder.begin(event, "model", { kind: "retry", name: `Model, try ${attempt + 1}`, note: reason })
  },
  "model-changed": (recorder, event, { reason = "", to = "" }) => {
    recorder.end(event, "model", `failed: ${reason}`)
    recorder.begin(event, "model", { kind: "model", name: `Model ${to}` })
  },
  "context-compacted": (recorder, event) => {
    recorder.end(event, "model", "context shortened")
    recorder.begin(event, "model", { kind: "model", name: "Model" })
  },
  "usage-updated": (recorder, event) => recorder.end(event, "model", usageNote(event)),
  "tool-started": (recorder, event, { call_id: id, name = "tool" }) => {
    recorder.end(event, "wait")
    recorder.begin(event, `tool ${id}`, { kind: "tool", name, ...(id === undefined ? {} : { callId: id }) })
  },
  "tool-finished": (recorder, event, { call_id: id, outcome }) => recorder.end(event, `tool ${id}`, outcome),
  "run-paused": (recorder, event, { pause_reason: pause }) => {
    const name = pause?.type === "input_required" ? "Waits for an answer" : "Waits for approval"
    recorder.begin(event, "wait", { kind: "wait", name })
  },
  "decision-recorded": (recorder, event, { by }) =>
    recorder.end(event, "wait", by === undefined ? undefined : `decided by ${by}`),
  "child-started": (recorder, event, { child_session_id: childId, child_run_id: run, label, agent }) =>
    recorder.begin(event, `child ${run}`, {
      kind: "child",
      name: label ?? agent ?? "sub-agent",
      ...(childId === undefined ? {} : { childId }),
    }),
  "child-finished": (recorder, event, { child_run_id: run, stop_reason: reason }) =>
    recorder.end(event, `child ${run}`, reason ?? undefined),
  "run-finished": (recorder, event, { status }) => recorder.endAll(event, status),
}

/** Returns what a session spent its time on: calls of the model and of tools, waits for people, sub-agents, and waits before another try. */
export const spansOf = (events: readonly SessionEvent[]): readonly TimelineSpan[] => {
  const recorder = createRecorder()
  for (const event of events) takers[event.type]?.(recorder, event, eventFields(event))
  return recorder.all().toSorted((left, right) => left.fromMs - right.fromMs || Number(left.key) - Number(right.key))
}

import { useEffect, useMemo } from "preact/hooks"
import type { SessionDetail } from "../../contracts/session/session-detail.ts"
import { isFinal } from "../../domain/run/is-final.ts"
import { stepCounter } from "../../domain/transcript/fork-point.ts"
import type { TranscriptRow } from "../api/shapes.ts"
import { callTitlesOf } from "../shown/call-parts.ts"
import { duration } from "../shown/figures.ts"
import { prose } from "../shown/prose.ts"
import { now } from "../state/clock.ts"
import type { OpenSession } from "../state/open-session.ts"
import { sessionLink, stepLink } from "../state/address.ts"
import { timeScale } from "./events/time-scale.ts"
import { type TimelineSpan, spansOf } from "./events/timeline-spans.ts"

const kinds: Readonly<Record<TimelineSpan["kind"], string>> = {
  model: "model",
  tool: "tool",
  wait: "waits",
  child: "sub-agent",
  retry: "waits for another try",
}

interface Scale {
  readonly toMs: number
  /** Where a moment is, from 0 to 1. */
  readonly placeOf: (ms: number) => number
}

const SpanRow = ({
  span,
  scale,
  id,
  step,
  title,
}: {
  readonly span: TimelineSpan
  readonly scale: Scale
  readonly id: string
  /** The step of the session that it belongs to; undefined if the transcript does not have it yet. */
  readonly step: number | undefined
  /** What its call does. */
  readonly title: string | undefined
}) => {
  const to = span.toMs ?? scale.toMs
  const left = scale.placeOf(span.fromMs) * 100
  const width = scale.placeOf(to) * 100 - left
  const name = title ?? prose(span.name)
  const link = span.childId === undefined ? undefined : sessionLink(span.childId)
  const target = link ?? (step === undefined ? undefined : stepLink(id, step))
  return (
    <tr>
      <td class="name">{target === undefined ? name : <a href={target}>{name}</a>}</td>
      <td class="quiet">{kinds[span.kind]}</td>
      <td class="number">
        {duration(to - span.fromMs)}
        {span.toMs === undefined ? " so far" : ""}
      </td>
      <td class="track">
        <div class={`span ${span.kind}`} style={{ marginLeft: `${left}%`, width: `${Math.max(0.3, width)}%` }} />
        {span.note !== undefined && span.note !== "ok" && <span class="quiet">{prose(span.note)}</span>}
      </td>
    </tr>
  )
}

const mostRows = 1_000

/** Returns the steps of a session, counted over its runs, by run and step of the run. */
const sessionSteps = (rows: readonly TranscriptRow[]): ReadonlyMap<string, number> => {
  const numberOf = stepCounter()
  const answers = rows.filter(({ message }) => message.role === "assistant")
  return new Map(answers.map(({ run_id: run, step }) => [`${run} ${step}`, numberOf(run, step)]))
}

/** Returns what calls do, by run, step and id: ids are unique within one answer only. */
const stepTitles = (rows: readonly TranscriptRow[]): ReadonlyMap<string, string> =>
  new Map(
    rows.flatMap((row) => [...callTitlesOf([row])].map(([id, title]) => [`${row.run_id} ${row.step} ${id}`, title])),
  )

/** What a session spent its time on, as a waterfall. */
export const Timeline = ({ open, session }: { readonly open: OpenSession; readonly session: SessionDetail }) => {
  useEffect(() => void open.readPast(), [open])
  const events = open.events.value
  const spans = useMemo(() => spansOf(events), [events])
  const rows = open.rows.value ?? []
  const titles = useMemo(() => stepTitles(rows), [rows])
  const first = spans[0]
  if (first === undefined) return <p class="empty">Nothing has happened in this session yet.</p>
  const lastMs = Math.max(...spans.map(({ fromMs, toMs }) => toMs ?? fromMs))
  const isGoing = !isFinal(session.status) && spans.some(({ toMs }) => toMs === undefined)
  const toMs = isGoing ? Math.max(now.value, lastMs) : lastMs
  const scale = { toMs, placeOf: timeScale(spans, first.fromMs, toMs) }
  const shown = spans.slice(-mostRows)
  const steps = sessionSteps(rows)
  return (
    <div class="view" role="region" aria-label="Timeline" tabIndex={0}>
      {shown.length < spans.length && (
        <p class="quiet">
          The newest {shown.length} of {spans.length} spans.
        </p>
      )}
      <table class="timeline">
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col">Kind</th>
            <th scope="col">Took</th>
            <th scope="col">When, over {duration(toMs - first.fromMs)}; long waits are folded</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((span) => (
            <SpanRow
              key={span.key}
              span={span}
              scale={scale}
              id={session.id}
              step={steps.get(`${span.runId} ${span.step}`)}
              title={titles.get(`${span.runId} ${span.step} ${span.callId}`)}
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}

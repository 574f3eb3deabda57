import type { TimelineSpan } from "./timeline-spans.ts"

interface Segment {
  readonly fromMs: number
  readonly toMs: number
  /** In which nothing was worked on: somebody or something was waited for. */
  readonly isIdle: boolean
}

const isWork = ({ kind }: TimelineSpan): boolean => kind !== "wait" && kind !== "retry"

/** Returns the time of a session as segments that follow one another, of work and of waits. */
const segmentsOf = (spans: readonly TimelineSpan[], fromMs: number, toMs: number): readonly Segment[] => {
  const work = spans
    .filter(isWork)
    .map((span) => ({ fromMs: span.fromMs, toMs: span.toMs ?? toMs }))
    .toSorted((left, right) => left.fromMs - right.fromMs)
  const segments: Segment[] = []
  let at = fromMs
  for (const span of work) {
    if (span.fromMs > at) segments.push({ fromMs: at, toMs: span.fromMs, isIdle: true })
    if (span.toMs > Math.max(at, span.fromMs))
      segments.push({ fromMs: Math.max(at, span.fromMs), toMs: span.toMs, isIdle: false })
    at = Math.max(at, span.toMs)
  }
  return at < toMs ? [...segments, { fromMs: at, toMs, isIdle: true }] : segments
}

/** A wait takes at most this part of the room that all work takes. */
const foldedPart = 0.1

/** Returns where a moment is on the timeline, from 0 to 1. Long waits are folded, so that the work between them can be seen. */
export const timeScale = (spans: readonly TimelineSpan[], fromMs: number, toMs: number): ((ms: number) => number) => {
  const segments = segmentsOf(spans, fromMs, toMs)
  const workMs = segments.reduce((sum, segment) => sum + (segment.isIdle ? 0 : segment.toMs - segment.fromMs), 0)
  const widthOf = (segment: Segment): number => {
    const ms = segment.toMs - segment.fromMs
    return segment.isIdle && workMs > 0 ? Math.min(ms, workMs * foldedPart) : ms
  }
  const whole = Math.max(
    1,
    segments.reduce((sum, segment) => sum + widthOf(segment), 0),
  )
  return (ms) =>
    segments.reduce((sum, segment) => {
      const part = (Math.min(ms, segment.toMs) - segment.fromMs) / (segment.toMs - segment.fromMs)
      return sum + Math.max(0, part) * widthOf(segment)
    }, 0) / whole
}

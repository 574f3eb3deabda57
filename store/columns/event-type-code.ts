import type { EventType } from "../../contracts/event.ts"

/** Codes that are stored instead of the types' names. A code is never reassigned to another type. */
const codes: Readonly<Record<EventType, number>> = {
  "run-started": 1,
  "step-started": 2,
  "text-delta": 3,
  "reasoning-delta": 4,
  "tool-calls-proposed": 5,
  "run-paused": 6,
  "decision-recorded": 7,
  "tool-started": 8,
  "tool-finished": 9,
  "child-started": 10,
  "child-finished": 11,
  "steering-applied": 12,
  "usage-updated": 13,
  "run-finished": 14,
  "tool-progressed": 15,
  "model-retry": 16,
  "limit-approached": 17,
  "tools-changed": 18,
  "model-changed": 19,
  "context-compacted": 20,
  "worktree-opened": 21,
  "worktree-closed": 22,
  "worktree-merged": 23,
  "tools-unavailable": 24,
  "prompt-cut": 25,
  "tools-unlisted": 26,
}

const isEventType = (name: string): name is EventType => name in codes
const types = new Map(Object.entries(codes).flatMap(([name, code]) => (isEventType(name) ? [[code, name]] : [])))

export const eventTypeCode = (type: EventType): number => codes[type]

export const eventTypeOf = (code: number): EventType => {
  const type = types.get(code)
  if (type === undefined) throw new RangeError(`unknown event type code ${code}`)
  return type
}

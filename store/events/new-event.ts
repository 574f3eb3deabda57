import type { EventType } from "../../contracts/event.ts"

export interface NewEvent {
  readonly type: EventType
  readonly runId: string
  readonly data: Readonly<Record<string, unknown>>
  /**
   * Unique within (session, run): an event with an ordinal that is already there is not written again. For events that
   * originate in the workflow and ride in an activity's input.
   */
  readonly ordinal?: number
  /**
   * Place of a message that is written already and says more than `data`: `tool_calls` of `tool-calls-proposed` and `preview` of `tool-finished` are
   * read from there, and stored once.
   */
  readonly messageSeq?: number
}

import type { EventType } from "../../contracts/event.ts"

export interface NewEvent {
  readonly type: EventType
  readonly runId: string
  readonly data: Readonly<Record<string, unknown>>
  /** When it happened, in milliseconds since the epoch, if that was not right before it is written. */
  readonly at?: number
  /**
   * An event of the run that is in the log with this ordinal is not written again. For events that originate in the workflow and are carried by an
   * activity's input, and those that tell of a step or of a call, it is another event if it says something else: after a reset, a run counts again.
   */
  readonly ordinal?: number
  /**
   * The `seq` of a message that is already written and contains the rest of the data: `tool_calls` of `tool-calls-proposed` and `preview` of
   * `tool-finished` are read from it, and stored only once.
   */
  readonly messageSeq?: number
}

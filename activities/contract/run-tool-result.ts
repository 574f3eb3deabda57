import type { ToolOutcome } from "../../contracts/message.ts"
import type { CallFailure, CallQuestion } from "../../domain/calls/tool-batch.ts"

/** Earlier versions gave an outcome to calls that had none yet: it is in their histories. */
interface EarlierOutcome {
  readonly outcome?: "ok"
}

/** What a tool call came to. */
export type RunToolResult =
  /** The call has ended. */
  | {
      readonly outcome: ToolOutcome
      readonly preview: string
      /** The call left a process running, which ends with the run. `machine`: where it is. */
      readonly background: boolean
      readonly machine?: string
      /** Why the run fails whose one call it was. Absent if the call succeeded, or if it answers a model. */
      readonly failure?: CallFailure
    }
  /** The call has not ended: it asks a person. */
  | ({ readonly question: CallQuestion } & EarlierOutcome)
  /**
   * The call has not started: what it was approved for has changed since, and `changed` says how. `changesProtected`: it changes a protected path by now,
   * so that only a decision that names it lets it run.
   */
  | ({ readonly changed: string; readonly changesProtected?: true } & EarlierOutcome)

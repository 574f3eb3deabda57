import type { CallEdit } from "../../domain/calls/tool-batch.ts"
import type { RunScope } from "./run-scope.ts"

export interface PreviewCallsInput extends RunScope {
  readonly assistantSeq: number
  /** The calls of the batch that have not run, in proposal order. */
  readonly calls: readonly {
    readonly id: string
    readonly resultSeq: number
    /** The others run without a decision. */
    readonly isPending: boolean
    /** Why the call is asked about again. */
    readonly again?: string
    readonly isEdited?: boolean
  }[]
}

export interface CheckEditsInput extends RunScope {
  readonly assistantSeq: number
  readonly checkpointId: string
  readonly calls: readonly {
    readonly id: string
    readonly resultSeq: number
    readonly edit: CallEdit
    /** The call as it was before changes a protected path. */
    readonly isProtected: boolean
    readonly isEdited?: boolean
  }[]
}

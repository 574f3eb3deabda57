import type { PreparedChild } from "./delegation-activities.ts"

export interface StartOpenSessionInput {
  readonly child: PreparedChild
  readonly taskQueue: string
  readonly parentSessionId: string
  readonly hasSearchAttributes: boolean
  readonly hostQueue: string | null
}

/** How long a session's binding holds if nothing happens. `null`: for ever. `unbound`: there is none any more. */
export type BindingLeft = { readonly kind: "bound"; readonly leftMs: number | null } | { readonly kind: "unbound" }

/** What sessions that stay open between their runs ask for. */
export interface BindingActivities {
  /** Starts a session that is nobody's child in the engine, or brings it the message that starts its next run. */
  startOpenSession(input: StartOpenSessionInput): Promise<void>
  /** Tells the nearest living session above that a run has ended. */
  reportRun(input: { readonly sessionId: string; readonly runId: string }): Promise<void>
  /** Removes a binding that has expired. */
  checkBinding(input: { readonly sessionId: string }): Promise<BindingLeft>
  /** The session ends: its thread is free. */
  releaseBinding(input: { readonly sessionId: string }): Promise<void>
}

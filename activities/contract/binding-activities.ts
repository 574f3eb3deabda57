import type { DeliveryInput } from "../../domain/delivery/delivery-policy.ts"
import type { PreparedChild } from "./delegation-activities.ts"

export interface StartOpenSessionInput {
  readonly child: PreparedChild
  readonly taskQueue: string
  readonly parentSessionId: string
  readonly hasSearchAttributes: boolean
}

/** How long a session's binding lasts without further activity. `null`: without limit. `unbound`: it no longer exists. */
export type BindingLeft = { readonly kind: "bound"; readonly leftMs: number | null } | { readonly kind: "unbound" }

/** The part of a run's transcript that its thread has not received. */
export interface SaidInput {
  readonly sessionId: string
  readonly runId: string
  readonly afterSeq: number
  readonly headSeq: number
}

/** Activities of sessions that stay open between their runs. */
export interface BindingActivities {
  /** Starts a session that is not a child in the engine, or sends it the message that starts its next run. */
  startOpenSession(input: StartOpenSessionInput): Promise<void>
  /** Signals the nearest open session above that a run has ended. */
  reportRun(input: { readonly sessionId: string; readonly runId: string }): Promise<void>
  /** Stores the result of a sub-agent as a message to the thread of its parent, and keeps it for the parent's next run. Returns the deliveries to start. */
  reportToThread(input: {
    readonly sessionId: string
    readonly runId: string
  }): Promise<{ readonly deliveries: readonly DeliveryInput[] }>
  /** Stores what the agent said as a message to its thread. Returns the deliveries to start. */
  sayInThread(input: SaidInput): Promise<{ readonly deliveries: readonly DeliveryInput[] }>
  /** Removes a binding that has expired. */
  checkBinding(input: { readonly sessionId: string }): Promise<BindingLeft>
  /** Removes the binding of a session that ends. */
  releaseBinding(input: { readonly sessionId: string }): Promise<void>
}

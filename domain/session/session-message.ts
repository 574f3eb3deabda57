import type { UserSource } from "../../contracts/message.ts"
import type { RunApproval } from "../approval/narrow-approval.ts"

/**
 * A text for a session. Senders store it as an inbox row first and signal only its id; a text that an operator types into the Temporal UI
 * is sent inline.
 */
export interface SessionMessage {
  /** Id of the inbox row; makes a repeated delivery idempotent. */
  readonly id: string
  readonly type: "message" | "follow_up" | "steering"
  readonly source: UserSource
  /** Set only for a text typed into the Temporal UI. */
  readonly text?: string
  /** The message is refused if the session's current run is a different one. */
  readonly run_id?: string
  /** The message is refused if the open pause is a different one. */
  readonly checkpoint_id?: string
  /** The run that this message starts, if it starts one. */
  readonly new_run?: RunReference
  /** It was written in the session's thread. It ends a run that only waits for sub-agents, which the run that it begins takes over. */
  readonly in_thread?: true
  /** The run that the sender saw end. A cancel of that run removes queued messages, but not this one, which starts the next run. */
  readonly after_run?: string
  /** The most approval that a run may have after it reads this message; absent if the sender may approve everything. See docs/decisions/0010. */
  readonly approval?: RunApproval
  /** The new budget of a run that paused because its budget was used up. */
  readonly budget?: { readonly micro_usd: number | null; readonly tokens: number | null }
  /** Proves that a program with this store sent it. Without a valid one, it is audited as sent through Temporal. */
  readonly signature?: string
}

/** A message that starts the next run when its turn comes. */
export interface QueuedMessage extends SessionMessage {
  /** The model that a person had set when the message arrived. A later choice also applies to its run. */
  readonly model_before?: string | null
}

/** A run by reference: the snapshot contains its settings. */
export interface RunReference {
  readonly run_id: string
  readonly snapshot_hash: string
}

/** Returns the id of the run that a queued message starts. */
export const queuedRunId = (message: Pick<SessionMessage, "id" | "new_run">): string =>
  message.new_run?.run_id ?? `run_${message.id}`

export interface SessionStatusAnswer {
  readonly session_id: string
  readonly run_id: string
  readonly status: "pending" | "running" | "paused" | "completed" | "failed" | "cancelled" | "timed_out"
  readonly checkpoint_id: string | null
  readonly steps_taken: number
  readonly model: string
}

/** Answer of the updates. */
export interface UpdateAnswer {
  readonly run_id: string
}

/** The type of the `ApplicationFailure` with which updates are refused; `details[0]` is an `ErrorCode`, the message is for the user. */
export const refusedFailureType = "AdjutantRefused"

/** The type of the failure of an update that the workflow cannot handle yet: the sender sends a signal instead, which is kept until it can. */
export const notYetFailureType = "AdjutantNotYet"

/** Updates that a session accepts. Its signals and queries are defined in workflows/messages. */
export const updateNames = ["decide", "send", "steer", "setModel", "withdraw"] as const

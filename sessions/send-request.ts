import type { SentEffect } from "../domain/delegation/answers/sent-answer.ts"
import type { Actor } from "./actor.ts"
import type { RunOptions } from "../contracts/run/run-options.ts"
import type { SeenPause } from "./decide-request.ts"
import type { Delivery } from "../engine/send-update.ts"

export interface SendRequest extends SeenPause {
  readonly sessionId: string
  readonly text: string
  /** `message` starts a run if the session is idle, answers an input pause, or else conflicts; `follow_up` also queues; `steering` requires a run. */
  readonly type: "message" | "follow_up" | "steering"
  readonly runId?: string
  /** Options of the new run, if one starts; at most those of the session. */
  readonly limits?: RunOptions
  /** The message was written in the session's thread. */
  readonly isInThread?: boolean
  /** Makes a repeated request one message: `msg_` and 20 characters `[a-z0-9]`. */
  readonly messageId?: string
  readonly delivery?: Delivery
  readonly actor: Actor
}

/** `applied`: the workflow has applied it. `accepted`: it is stored durably, and applied when a worker is running. */
export interface Sent {
  readonly state: "applied" | "accepted"
  readonly runId: string
  /** What a message does: it starts a run, waits for the end of the current one, answers its question, or steers it. Absent for decisions. */
  readonly effect?: SentEffect
  /** Calls, by id, that an approval of all left pending because they change protected files or leave the sandbox. */
  readonly protectedPending?: readonly string[]
  /** What is missing to calls that were approved, where a rule asks for the approval of several people. */
  readonly counted?: readonly string[]
  /** Calls of a tree, as `<task_id>/<call id>`, that were not decided because their own pause has changed since the tree's checkpoint showed them. */
  readonly undecided?: readonly string[]
}

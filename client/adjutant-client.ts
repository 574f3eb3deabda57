import type { CallDecision } from "../contracts/decision.ts"
import type { SessionEvent } from "../contracts/event.ts"
import type { OutcomeDocument } from "../contracts/outcome-document.ts"
import type { PauseType, PendingToolCall } from "../contracts/pause.ts"
import type { Thinking } from "../contracts/run-snapshot.ts"
import type { Session } from "../contracts/session.ts"
import type { Status } from "../contracts/status.ts"
import type { AuditRow, MessageRow } from "../store/store.ts"

/** What a run is asked to do. Everything but `prompt` has a default from profile and configuration. */
export interface StartRequest {
  readonly prompt: string
  readonly agent?: string
  readonly model?: string
  readonly thinking?: Thinking
  readonly tools?: readonly string[]
  readonly maxSteps?: number
  readonly timeoutSeconds?: number
  readonly budgetUsd?: number
  readonly budgetTokens?: number
  readonly sandbox?: boolean
  /** `policy`: policy decides what pauses; `all`: every allowed tool runs; a list: those run. */
  readonly approval?: "policy" | "all" | readonly string[]
  /** A text-only reply pauses for input. */
  readonly pauseOnText?: boolean
  readonly cwd: string
  readonly title?: string
  readonly label?: string
  readonly systemPrompt?: string
  readonly metadata?: Readonly<Record<string, unknown>>
  /** Activities of the tree are offered to this worker's own queue first (`adjutant run` brings that worker). */
  readonly hostQueue?: string
  /** Preset session id, so that a host queue can be named before the start. */
  readonly sessionId?: string
}

export interface Started {
  readonly sessionId: string
  readonly runId: string
}

/** Who acts, for the audit: a name and the way it came (`cli`, `http`, `mcp`, `webhook:<name>`, `link`). */
export interface Actor {
  readonly by: string
  readonly via: string
}

export interface DecideRequest {
  readonly sessionId: string
  readonly runId?: string
  readonly checkpointId?: string
  readonly decisions?: Readonly<Record<string, CallDecision>>
  readonly all?: CallDecision
  /** What happens to calls that are not named. */
  readonly unlisted: "pending" | "reject"
  /** From now on the tree's activities are offered to this worker's queue first (`adjutant resume` brings that worker). */
  readonly hostQueue?: string
  readonly actor: Actor
}

/** `applied`: the workflow took it. `accepted`: stored durably, applied when a worker runs. */
export type Sent = { readonly state: "applied" | "accepted"; readonly runId: string }

export interface SendRequest {
  readonly sessionId: string
  readonly text: string
  /** `message` starts a run when idle, answers an input pause, else conflicts; `follow_up` also queues; `steering` needs a run. */
  readonly type: "message" | "follow_up" | "steering"
  readonly runId?: string
  readonly checkpointId?: string
  /** What the new run may use where one starts: at most what the session had. */
  readonly limits?: Pick<
    StartRequest,
    "model" | "tools" | "maxSteps" | "timeoutSeconds" | "budgetUsd" | "budgetTokens" | "approval" | "pauseOnText"
  >
  readonly hostQueue?: string
  readonly actor: Actor
}

/** All that waits for a person in one session. */
export interface Approval {
  readonly session_id: string
  readonly session_key: string
  readonly root_session_id: string
  readonly run_id: string
  readonly checkpoint_id: string
  readonly type: PauseType
  readonly agent: string
  readonly title: string | null
  readonly message: string
  readonly pending: readonly PendingToolCall[]
  readonly opened_at: string
}

export interface Page<T> {
  readonly items: readonly T[]
  readonly next_cursor: string | null
}

/** The one way in: typed use cases over Temporal and the store. Expected failures are `AdjutantError`. */
export interface AdjutantClient {
  start(request: StartRequest): Promise<Started>
  /** Resolves a task id, a checkpoint id or a label to a session id. */
  resolveTarget(target: string): Promise<string>
  send(request: SendRequest): Promise<Sent>
  decide(request: DecideRequest): Promise<Sent>
  setModel(sessionId: string, model: string, actor: Actor): Promise<Sent>
  /** Idempotent: of a final session it answers the final status and changes nothing. */
  cancel(sessionId: string, actor: Actor, runId?: string): Promise<{ status: Status }>
  /** Until the session, with all that can still move in its tree, is final or paused. `undefined` when the time is over: nothing is cancelled. */
  wait(
    sessionId: string,
    options?: { timeoutSeconds?: number; signal?: AbortSignal },
  ): Promise<OutcomeDocument | undefined>
  /** The document for the session as it is now; `undefined` while it runs. */
  outcome(sessionId: string): Promise<OutcomeDocument | undefined>
  watch(sessionId: string, options: { after?: number; signal: AbortSignal }): AsyncIterable<SessionEvent>
  info(sessionId: string): Promise<Session>
  list(filter: {
    parent?: string
    root?: string
    status?: Status
    agent?: string
    limit?: number
    cursor?: string
  }): Promise<Page<Session>>
  approvals(filter?: { root?: string }): Promise<Page<Approval>>
  messages(sessionId: string): Promise<readonly MessageRow[]>
  audit(filter: { sessionId?: string; limit?: number }): Promise<readonly AuditRow[]>
  /** Names of the engine's queues with a live worker that takes any session's work. */
  hasWorker(): Promise<boolean>
  close(): Promise<void>
}

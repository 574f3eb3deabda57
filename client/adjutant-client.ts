import type { CallDecision } from "../contracts/decision.ts"
import type { ChannelMessage } from "../contracts/http/channels.ts"
import type { SessionEvent } from "../contracts/event.ts"
import type { OutcomeDocument } from "../contracts/outcome-document.ts"
import type { PauseType, PendingToolCall } from "../contracts/pause.ts"
import type { Thinking } from "../contracts/run-snapshot.ts"
import type { Session } from "../contracts/session.ts"
import type { Status } from "../contracts/status.ts"
import type { AuditRow, DeliveryFilter, MessageRow } from "../store/store.ts"
import type { BindingView } from "./channels/binding-view.ts"
import type { FocusRequest } from "./channels/bindings.ts"
import type { ChannelReception } from "./channels/receive-message.ts"
import type { DeliveryView } from "./deliveries/delivery-view.ts"
import type { EngineHealth, EngineReport } from "./engine-moves.ts"
import type { ReconcileReport, ReconcileRequest } from "./run-reconciler.ts"
import type { SpawnOutcome, SpawnRequest } from "./spawn-request.ts"
import type { TaskReport } from "./task-report.ts"
import type { Authority } from "../domain/caller/authority.ts"
import type { TaskRow } from "../domain/delegation/task-table.ts"

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
  /** Started by a delegation tool from outside any run: at depth 1, with the key of a sub-agent, under no parent. */
  readonly isSubagent?: boolean
  /** Who starts it; left out: the person whose process this is. */
  readonly actor?: Actor
}

export interface Started {
  readonly sessionId: string
  readonly runId: string
}

/** Who acts: for the audit a name and the way it came (`cli`, `http`, `mcp`, `webhook:<name>`, `link`), and what they may ask for. */
export interface Actor {
  readonly by: string
  readonly via: string
  /** Left out: everything, as for the person whose process this is. */
  readonly authority?: Authority
}

/** Somebody who is not the person whose process this is: an adapter says what they may ask for. */
export type RemoteActor = Required<Actor>

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
  readonly delivery?: Delivery
  readonly actor: Actor
}

/** `signal`: stored durably and answered at once, without asking a worker. */
export type Delivery = "update" | "signal"

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
    | "model"
    | "tools"
    | "maxSteps"
    | "timeoutSeconds"
    | "budgetUsd"
    | "budgetTokens"
    | "approval"
    | "pauseOnText"
    | "sandbox"
    | "systemPrompt"
  >
  readonly hostQueue?: string
  /** Makes a repeated request one message: `msg_` and 20 characters `[a-z0-9]`. */
  readonly messageId?: string
  readonly delivery?: Delivery
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

/** A session without a run: its first message starts one. */
export interface CreateSessionRequest extends Pick<StartRequest, "agent" | "model" | "cwd" | "title" | "metadata"> {
  /** The session becomes a child of this one, under its limits. */
  readonly parentId?: string
  /** Makes a repeated request one session. */
  readonly sessionId?: string
  readonly actor: Actor
}

export interface ForkRequest {
  readonly sessionId: string
  /** Steps of the whole session that the new one begins with; 0: none, only its settings. */
  readonly atStep: number
  /** Makes a repeated request one session. */
  readonly newSessionId?: string
  readonly actor: Actor
}

export interface SessionTree extends Session {
  readonly children: readonly SessionTree[]
}

/** Calls that wait for a decision in a session and below it; each names the session that asks. */
export interface PendingCalls {
  readonly run_id: string | null
  readonly checkpoint_id: string | null
  readonly pending: readonly {
    readonly id: string
    readonly name: string
    readonly arguments: Readonly<Record<string, unknown>>
    readonly session_id: string
    readonly checkpoint_id: string
  }[]
}

export interface IssuedLink {
  readonly token: string
  readonly expiresAt: string
}

/** What a link's holder may decide on. */
export interface OpenedLink {
  readonly approval: Approval
  readonly expiresAt: string
}

export interface LinkDecision {
  /** For a question, `custom_result` with the answer as its content. */
  readonly action: CallDecision["action"]
  readonly content?: string
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
  /** Rows after `afterSeq`, `limit` at most; without a range the whole transcript. */
  messages(
    sessionId: string,
    range?: { readonly afterSeq?: number; readonly limit?: number },
  ): Promise<readonly MessageRow[]>
  create(request: CreateSessionRequest): Promise<Session>
  /** A new session that begins with another one's first steps, under at most its limits. */
  fork(request: ForkRequest): Promise<Session>
  /** Cancels the session and all below it, then erases their texts; the audit stays. */
  delete(sessionId: string, actor: Actor): Promise<void>
  tree(sessionId: string): Promise<SessionTree>
  pending(sessionId: string): Promise<PendingCalls>
  /** A signed link that decides a whole pause without any other authority, once. `to`: whose link it is, for the audit. */
  issueLink(request: {
    readonly checkpointId: string
    readonly to?: string
    readonly ttlMs?: number
    readonly actor?: Actor
  }): Promise<IssuedLink>
  openLink(token: string): Promise<OpenedLink>
  decideByLink(token: string, decision: LinkDecision): Promise<Sent>
  /** A delegation tool called from outside any run: starts a session at depth 1, or says why not. */
  spawn(request: SpawnRequest): Promise<SpawnOutcome>
  /** Sessions that this caller started by `spawn`, in that order. */
  spawned(caller: string): Promise<readonly Session[]>
  /** All that the details of a task tell, after asking the engine. */
  report(sessionId: string): Promise<TaskReport>
  /** The newest tasks, one line each. */
  taskRows(limit: number): Promise<readonly TaskRow[]>
  channels: {
    /** Something was written in a thread: it reaches the session that is bound to it, or starts one. */
    receive(channel: string, message: ChannelMessage): Promise<ChannelReception>
    /** Binds a thread to a session. */
    focus(request: FocusRequest): Promise<BindingView>
    unfocus(sessionId: string, actor: Actor): Promise<BindingView>
    /** Which session a thread is bound to. */
    sessionOf(thread: { readonly channel?: string; readonly threadKey: string }): Promise<string>
    /** When the binding ends by itself; 0: never. */
    setExpiry(
      request: { readonly sessionId: string; readonly idleMs?: number; readonly maxAgeMs?: number },
      actor: Actor,
    ): Promise<BindingView>
    bindings(): Promise<Page<BindingView>>
  }
  deliveries: {
    /** Newest first. */
    list(filter?: DeliveryFilter): Promise<Page<DeliveryView>>
    /** One that waits is tried at once, one that gave up or was dismissed from the beginning. */
    retry(id: string, actor: Actor): Promise<DeliveryView>
    /** It is not tried any more; what it would have told is kept. */
    dismiss(id: string, actor: Actor): Promise<DeliveryView>
  }
  engine: {
    /** The engine that the store belongs to beside the one that answers. Writes nothing. */
    show(): Promise<EngineReport>
    /** Makes the store belong to the engine that answers. */
    move(actor: Actor): Promise<EngineReport>
    health(): Promise<EngineHealth>
  }
  /** Has a worker make one pass of the reconciler. */
  reconcile(request: ReconcileRequest, actor: Actor): Promise<ReconcileReport>
  audit(filter: { sessionId?: string; limit?: number }): Promise<readonly AuditRow[]>
  /** Names of the engine's queues with a live worker that takes any session's work. */
  hasWorker(): Promise<boolean>
  close(): Promise<void>
}

import type { Status } from "../contracts/status.ts"
import type { TaskClient } from "./task-client.ts"
import type { StartTaskRequest } from "../sessions/start/start-task.ts"
import type { ListFilter } from "../sessions/view/list-sessions.ts"
import type { Sent } from "../sessions/messages/send-request.ts"
import type {
  LinkRequest,
  IssuedLink,
  OpenedLink,
  LinkDecision,
  LinkedDecision,
  LinkHolder,
} from "../sessions/decide/links/link.ts"
import type { Actor } from "../sessions/authority/actor.ts"
import type { StartRequest, Started, CreateSessionRequest, ForkRequest } from "../sessions/start/start-request.ts"
import type { Approval, ApprovalFilter, PendingCalls } from "../sessions/decide/approval.ts"
import type { TargetCaller } from "../sessions/view/resolve-target.ts"
import type { Page } from "../sessions/view/page.ts"
import type { SessionTree } from "../sessions/view/session-tree.ts"
import type { ChannelMessage } from "../contracts/http/channels.ts"
import type { Session } from "../contracts/session.ts"
import type { DeliveryFilter, StoredMedia } from "../store/store.ts"
import type { BindingView } from "../sessions/channels/binding-view.ts"
import type { FocusRequest } from "../sessions/channels/bindings.ts"
import type { ChannelDelivery } from "../sessions/channels/receive-message.ts"
import type { DeliveryView } from "../sessions/delivery/delivery-view.ts"
import type { EngineHealth, EngineReport } from "../sessions/engine/engine-moves.ts"
import type { ReconcileReport, ReconcileRequest } from "../sessions/reconcile/run-reconciler.ts"
import type { SpawnOutcome, SpawnRequest } from "../sessions/spawn/spawn-request.ts"
import type { TaskFilter, TaskReport } from "../sessions/view/task-report.ts"
import type { TaskRow } from "../domain/delegation/task/task-table.ts"

/** Every use case of Adjutant, typed, over Temporal and the store. Expected failures are `AdjutantError`. */
export interface AdjutantClient extends TaskClient {
  start(request: StartRequest): Promise<Started>
  /** Creates a session and starts its first run, for a request that may be repeated: with preset ids, it starts one run. */
  startTask(request: StartTaskRequest): Promise<Started>
  /**
   * Resolves a task id, a checkpoint id, a label or a session key to a session id. Labels are the caller's own; without a caller, those of the user of
   * this machine. A checkpoint id names its session for everyone who knows it.
   */
  resolveTarget(target: string, caller?: TargetCaller): Promise<string>
  /** Returns whether a session exists and belongs to a tree that this caller started. */
  isOf(sessionId: string, caller: string): Promise<boolean>
  setModel(sessionId: string, model: string, actor: Actor): Promise<Sent>
  list(filter: ListFilter): Promise<Page<Session>>
  /** Returns the number of sessions by status that match a filter, regardless of its status and page. */
  counts(filter: ListFilter): Promise<Readonly<Record<Status, number>>>
  /** Returns an image or a PDF that a tool of the session returned, by its id in the transcript. */
  media(sessionId: string, mediaId: string): Promise<StoredMedia>
  approvals(filter?: ApprovalFilter): Promise<Page<Approval>>
  create(request: CreateSessionRequest): Promise<Session>
  /** Creates a session from the first steps of another one, with its limits or narrower ones. */
  fork(request: ForkRequest): Promise<Session>
  /** Cancels the session and everything below it, then erases their texts; the audit is kept. */
  delete(sessionId: string, actor: Actor): Promise<void>
  tree(sessionId: string): Promise<SessionTree>
  pending(sessionId: string): Promise<PendingCalls>
  /** Issues a signed link that decides a whole pause once, without any other authority. `to`: the holder of the link, for the audit. */
  issueLink(request: LinkRequest): Promise<IssuedLink>
  openLink(token: string): Promise<OpenedLink>
  /** Returns who decided what on the pause of a link, also after it has closed. */
  decisionsOfLink(token: string): Promise<readonly LinkedDecision[]>
  /** `holder`: who used the link, if it needs a token. */
  decideByLink(token: string, decision: LinkDecision, holder?: LinkHolder): Promise<Sent>
  /** Runs a delegation tool that is called from outside any run: starts a session at depth 1, or returns why it is refused. */
  spawn(request: SpawnRequest): Promise<SpawnOutcome>
  /** Returns the sessions that this caller started with `spawn`, in that order. */
  spawned(caller: string): Promise<readonly Session[]>
  /** Returns the details of a task, with its current state in the engine. */
  report(sessionId: string): Promise<TaskReport>
  /** Returns tasks, one row each. */
  taskRows(filter: TaskFilter): Promise<readonly TaskRow[]>
  channels: {
    /** Sends a message of a thread to the session that is bound to it, or starts one. */
    receive(channel: string, message: ChannelMessage): Promise<ChannelDelivery>
    /** Binds a thread to a session. */
    focus(request: FocusRequest): Promise<BindingView>
    unfocus(sessionId: string, actor: Actor): Promise<BindingView>
    /** Returns the session to which a thread is bound. */
    sessionOf(thread: { readonly channel?: string; readonly threadKey: string }): Promise<string>
    /** Returns the binding of a session. */
    bindingOf(sessionId: string): Promise<BindingView>
    /** Sets when the binding ends, in milliseconds; 0: never. */
    setExpiry(
      request: { readonly sessionId: string; readonly idleMs?: number; readonly maxAgeMs?: number },
      actor: Actor,
    ): Promise<BindingView>
    bindings(): Promise<Page<BindingView>>
  }
  deliveries: {
    /** Returns the deliveries, newest first. */
    list(filter?: DeliveryFilter): Promise<Page<DeliveryView>>
    /** Retries a delivery: a pending one at once, a failed or dismissed one with all its attempts. */
    retry(id: string, actor: Actor): Promise<DeliveryView>
    /** Stops the attempts of a delivery; its content is kept. */
    dismiss(id: string, actor: Actor): Promise<DeliveryView>
  }
  engine: {
    /** Returns the engine to which the store belongs and the connected one. Writes nothing. */
    show(): Promise<EngineReport>
    /** Moves the store to the connected engine. */
    move(actor: Actor): Promise<EngineReport>
    health(): Promise<EngineHealth>
  }
  /** Runs one pass of the reconciler in a worker. */
  reconcile(request: ReconcileRequest, actor: Actor): Promise<ReconcileReport>
}

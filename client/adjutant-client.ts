import type { ListFilter } from "../sessions/view/list-sessions.ts"
import type { LinkRequest, IssuedLink, OpenedLink, LinkDecision } from "../sessions/decide/links/link.ts"
import type { Actor } from "../sessions/authority/actor.ts"
import type { StartRequest, Started, CreateSessionRequest, ForkRequest } from "../sessions/start/start-request.ts"
import type { DecideRequest } from "../sessions/decide/decide-request.ts"
import type { SendRequest, Sent } from "../sessions/messages/send-request.ts"
import type { Approval, PendingCalls } from "../sessions/decide/approval.ts"
import type { Page } from "../sessions/view/page.ts"
import type { SessionTree } from "../sessions/view/session-tree.ts"
import type { ChannelMessage } from "../contracts/http/channels.ts"
import type { SessionEvent } from "../contracts/event.ts"
import type { OutcomeDocument } from "../contracts/outcome-document.ts"
import type { Session } from "../contracts/session.ts"
import type { Status } from "../contracts/status.ts"
import type { DeliveryFilter, MessageRow, AuditRow } from "../store/store.ts"
import type { BindingView } from "../sessions/channels/binding-view.ts"
import type { FocusRequest } from "../sessions/channels/bindings.ts"
import type { ChannelDelivery } from "../sessions/channels/receive-message.ts"
import type { DeliveryView } from "../sessions/delivery/delivery-view.ts"
import type { EngineHealth, EngineReport } from "../sessions/engine/engine-moves.ts"
import type { ReconcileReport, ReconcileRequest } from "../sessions/reconcile/run-reconciler.ts"
import type { SpawnOutcome, SpawnRequest } from "../sessions/spawn/spawn-request.ts"
import type { TaskReport } from "../sessions/view/task-report.ts"
import type { TaskRow } from "../domain/delegation/task/task-table.ts"

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
  list(filter: ListFilter): Promise<Page<Session>>
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
  issueLink(request: LinkRequest): Promise<IssuedLink>
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
    receive(channel: string, message: ChannelMessage): Promise<ChannelDelivery>
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

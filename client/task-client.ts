import type { CallPreview } from "../contracts/approval/call-preview.ts"
import type { OutcomeDocument } from "../contracts/session/outcome-document.ts"
import type { SessionEvent } from "../contracts/event.ts"
import type { SessionDiff } from "../contracts/delegation/worktree.ts"
import type { SessionDetail } from "../contracts/session/session-detail.ts"
import type { Session } from "../contracts/session/session.ts"
import type { Status } from "../contracts/status.ts"
import type { Grant } from "../contracts/http/grants.ts"
import type { StopReport } from "../contracts/http/stop.ts"
import type { SearchAnswer } from "../contracts/http/sessions.ts"
import type { ScheduleConfig } from "../contracts/config/schedules.ts"
import type { ScheduleView } from "../contracts/schedules/schedules.ts"
import type { ScheduleChange } from "../engine/schedules/run-schedules.ts"
import type { Agent, AgentListItem } from "../contracts/http/agents.ts"
import type { AuditEntry } from "../contracts/http/audit.ts"
import type { Target } from "../contracts/http/targets.ts"
import type { UsageReport } from "../contracts/usage.ts"
import type { AuditQuery } from "../sessions/audit/read-audit.ts"
import type { UsageRequest } from "../sessions/audit/read-usage.ts"
import type { Actor } from "../sessions/actor.ts"
import type { DecideRequest } from "../sessions/decide-request.ts"
import type { PendingApproval, ApprovalFilter } from "../sessions/pauses/approval.ts"
import type { GrantRequest } from "../sessions/decide/grants.ts"
import type { ProfileRequest } from "../sessions/profiles/change-profile.ts"
import type { SendRequest, Sent } from "../sessions/send-request.ts"
import type { SearchRequest } from "../sessions/view/search-sessions.ts"
import type { ListFilter } from "../sessions/view/list-sessions.ts"
import type { TargetCaller } from "../sessions/view/resolve-target.ts"
import type { Page } from "../sessions/rows/page.ts"
import type { TranscriptSource } from "../sessions/view/transcript-row.ts"

/** The profiles that sessions can run as. Changes are for profiles of the store, and require the scope `admin`. */
export interface ProfileClient {
  /** Returns every profile, with the sessions that run as it. */
  list(): Promise<readonly AgentListItem[]>
  /** Returns one profile with its settings. */
  read(name: string): Promise<Agent>
  create(request: ProfileRequest, actor: Actor): Promise<Agent>
  /** Replaces the version that the caller has read. */
  update(request: ProfileRequest & { readonly version: number }, actor: Actor): Promise<Agent>
  /** With a version, deletes only this one. */
  delete(request: { readonly name: string; readonly version?: number | undefined }, actor: Actor): Promise<void>
}

/** What can be done to schedules: those of the configuration, and those that were added. */
export interface SchedulesClient {
  /** Returns the schedules, with their next times. */
  list(): Promise<readonly ScheduleView[]>
  read(name: string): Promise<ScheduleView>
  /** Adds a schedule that is not in the configuration. Its tasks have the rights of the actor. */
  add(request: {
    readonly name: string
    readonly schedule: ScheduleConfig
    readonly actor: Actor
  }): Promise<ScheduleView>
  /** Pauses or resumes a schedule, or starts its task now. */
  change(name: string, request: { readonly change: ScheduleChange; readonly actor: Actor }): Promise<ScheduleView>
  /** Deletes a schedule that is not in the configuration. */
  delete(name: string, actor: Actor): Promise<void>
}

/** What can be done to tasks that exist: over Temporal and the store, or over the HTTP API of a server. Expected failures are `AdjutantError`. */
export interface TaskClient {
  /** Returns the session that a task id, a checkpoint id, a label or a session key names, and how it names it. */
  inspectTarget(target: string, caller?: TargetCaller): Promise<Target>
  send(request: SendRequest): Promise<Sent>
  /** Takes back a message that no run has read yet. */
  withdraw(sessionId: string, messageId: string, actor: Actor): Promise<void>
  decide(request: DecideRequest): Promise<Sent>
  /** Cancels a session and everything below it. A session that is final does not change: its status is returned. */
  cancel(sessionId: string, actor: Actor, runId?: string): Promise<{ status: Status }>
  /** Cancels a session and everything below it, then erases their texts; the audit is kept. */
  delete(sessionId: string, actor: Actor): Promise<void>
  /** Lets a session that waits for an unavailable provider call the model at once. */
  retry(sessionId: string, actor: Actor): Promise<{ readonly status: Status }>
  /** Lets calls of a session run without a decision, until the grant expires or is revoked. Requires the right to approve calls. */
  grant(request: GrantRequest): Promise<Grant>
  /** Returns the grants of a session, oldest first. */
  grants(sessionId: string): Promise<Page<Grant>>
  revokeGrant(sessionId: string, grantId: string, actor: Actor): Promise<Grant>
  /** Cancels every open session of the store with everything below it, and returns what was open. Requires the scope `admin`. */
  stopAll(actor: Actor): Promise<StopReport>
  /** Waits until the session and everything that runs below it is final or paused. Returns `undefined` if the time elapses; nothing is cancelled. */
  wait(
    sessionId: string,
    options?: { timeoutSeconds?: number; signal?: AbortSignal },
  ): Promise<OutcomeDocument | undefined>
  /** Returns the document for the current state of the session; `undefined` while it runs. */
  outcome(sessionId: string): Promise<OutcomeDocument | undefined>
  watch(sessionId: string, options: { after?: number; signal: AbortSignal }): AsyncIterable<SessionEvent>
  info(sessionId: string): Promise<SessionDetail>
  /** Returns what a session changed in its worktree. */
  diff(sessionId: string): Promise<SessionDiff>
  list(filter: Omit<ListFilter, "caller">): Promise<Page<Session>>
  /** Returns where sessions contain a text: in their names, their transcripts, and the files that they changed. */
  search(request: SearchRequest): Promise<SearchAnswer>
  approvals(filter?: Pick<ApprovalFilter, "root">): Promise<Page<PendingApproval>>
  /** Returns the whole preview of a pending call: a pause shows the beginning of a long preview. */
  preview(sessionId: string, callId: string): Promise<CallPreview>
  /** Returns the rows after `afterSeq`, at most `limit`; without a range, the whole transcript. */
  messages(
    sessionId: string,
    range?: { readonly afterSeq?: number; readonly limit?: number },
  ): Promise<readonly TranscriptSource[]>
  /** Returns entries of the audit log, newest first. Over HTTP, this requires the scope `admin`. */
  audit(query?: AuditQuery): Promise<Page<AuditEntry>>
  /** Returns what model calls used and cost, by day, profile, model, label or caller. */
  usage(query?: UsageRequest): Promise<UsageReport>
  readonly profiles: ProfileClient
  readonly schedules: SchedulesClient
  /** Returns whether a worker is running that takes the work of every session. */
  hasWorker(): Promise<boolean>
  close(): Promise<void>
}

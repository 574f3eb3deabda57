import type { CurrentBuild } from "./engine/current-build.ts"
import type { EngineMemory, MissingExecutions, ReconcilerNotes } from "./engine/engine-rows.ts"
import type { EventLog } from "./events/event-log.ts"
import type { Audit } from "./tables/audit.ts"
import type { DailyUsage } from "./tables/limits/daily-usage.ts"
import type { ProviderCalls } from "./tables/limits/provider-calls.ts"
import type { Claims } from "./tables/claims.ts"
import type { Bindings } from "./tables/delivery/binding-rows.ts"
import type { Deliveries } from "./tables/delivery/delivery-rows.ts"
import type { IdempotencyKeys } from "./tables/idempotency-keys.ts"
import type { InboxRows } from "./tables/messages/inbox.ts"
import type { Machines } from "./tables/machines.ts"
import type { Media } from "./tables/messages/media.ts"
import type { Messages } from "./tables/messages/message-rows.ts"
import type { CallEdits } from "./tables/pauses/call-edits.ts"
import type { CallPreviews } from "./tables/pauses/call-previews.ts"
import type { Grants } from "./tables/pauses/grants.ts"
import type { Pauses } from "./tables/pauses/pause-rows.ts"
import type { Profiles } from "./tables/profiles.ts"
import type { PublicAddress } from "./tables/public-address.ts"
import type { ReadSecret } from "./tables/secrets.ts"
import type { Runs } from "./tables/sessions/run-rows.ts"
import type { Sessions } from "./tables/sessions/session-rows.ts"
import type { Snapshots, ToolLists } from "./tables/sessions/snapshots.ts"
import type { ShownFolders } from "./tables/shown-folders.ts"
import type { StopRequests } from "./tables/stop-requests.ts"
import type { Todos } from "./tables/todos.ts"
import type { UsageLedger } from "./tables/usage-ledger.ts"
import type { Workers } from "./tables/workers.ts"
import type { Worktrees } from "./tables/sessions/worktrees.ts"

export type { CurrentBuild } from "./engine/current-build.ts"
export type { EngineMemory, LivingRun, MissingExecutions, MissingRow, ReconcilerNotes } from "./engine/engine-rows.ts"
export type { EventLog } from "./events/event-log.ts"
export type { NewEvent } from "./events/new-event.ts"
export type { Audit, AuditRow } from "./tables/audit.ts"
export type { Claims } from "./tables/claims.ts"
export type { BindingRow, Bindings, NewBinding } from "./tables/delivery/binding-rows.ts"
export type { Deliveries, DeliveryFilter, DeliveryRow, NewDelivery } from "./tables/delivery/delivery-rows.ts"
export type { Fence } from "./tables/fence.ts"
export type { IdempotencyClaim, IdempotencyKey, IdempotencyKeys } from "./tables/idempotency-keys.ts"
export type { InboxRows } from "./tables/messages/inbox.ts"
export type { Machines, SessionPlace } from "./tables/machines.ts"
export type { Media, StoredMedia } from "./tables/messages/media.ts"
export type { MessageRow, Messages } from "./tables/messages/message-rows.ts"
export type { CallPreviewRow, CallPreviews } from "./tables/pauses/call-previews.ts"
export type { GrantRow } from "./tables/pauses/grants.ts"
export type { PausedCall, PauseRow, Pauses } from "./tables/pauses/pause-rows.ts"
export type { ProfileLimits, ProfileRow } from "./tables/profiles.ts"
export type { RunRow, Runs } from "./tables/sessions/run-rows.ts"
export type {
  EndedSession,
  NewSession,
  SessionFilter,
  SessionPage,
  SessionPatch,
  SessionRow,
  Sessions,
} from "./tables/sessions/session-rows.ts"
export type { Snapshots, ToolLists } from "./tables/sessions/snapshots.ts"
export type { StopRequests } from "./tables/stop-requests.ts"
export type { EndedWorktree, WorktreeRow, Worktrees } from "./tables/sessions/worktrees.ts"
export type { UsageEntry, UsageLedger } from "./tables/usage-ledger.ts"
export type { Workers } from "./tables/workers.ts"

/**
 * What remains when the engine forgets: transcripts, event log, claims, audit. Every method is atomic and durable when it resolves.
 * Rejects with `AdjutantError("storage_failed", …)` when the disk or the file is at fault. Safe for several processes on one file.
 */
export interface Store {
  /** Made once per store: names the task queue. */
  readonly storeId: string
  readonly sessions: Sessions
  readonly runs: Runs
  readonly snapshots: Snapshots
  readonly toolLists: ToolLists
  readonly messages: Messages
  readonly media: Media
  readonly inbox: InboxRows
  readonly events: EventLog
  readonly claims: Claims
  readonly pauses: Pauses
  readonly callPreviews: CallPreviews
  readonly callEdits: CallEdits
  readonly grants: Grants
  readonly profiles: Profiles
  readonly usage: UsageLedger
  readonly dailyUsage: DailyUsage
  readonly providerCalls: ProviderCalls
  readonly todos: Todos
  readonly shownFolders: ShownFolders
  readonly audit: Audit
  readonly idempotencyKeys: IdempotencyKeys
  readonly deliveries: Deliveries
  readonly bindings: Bindings
  /** The engine that the store belongs to. */
  readonly engine: EngineMemory
  readonly build: CurrentBuild
  readonly missing: MissingExecutions
  readonly reconciler: ReconcilerNotes
  readonly workers: Workers
  readonly machines: Machines
  readonly worktrees: Worktrees
  readonly stopRequests: StopRequests
  readonly secret: ReadSecret
  readonly publicAddress: PublicAddress
  /**
   * Several writes in one transaction: all of them or, where the body throws, none. The body awaits nothing but what it is given. `outlasts`
   * says what the commit survives; default `power-cut`. `crash` is for what may be repeated, or is worth nothing without a later write.
   */
  transaction<T>(body: (store: WritableStore) => Promise<T>, outlasts?: "crash" | "power-cut"): Promise<T>
  /** Resolves when everything that was committed before the call survives a power cut. */
  synced(): Promise<void>
  /**
   * Runs work whose writes begin only while this time has not passed, and wait for locks no longer than that: when the time has passed, the same work can
   * begin again without overlapping. A write that is refused rejects with `storage_failed`.
   */
  within<T>(limitMs: number, work: () => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** The parts of a store as they look from inside a transaction. */
export type WritableStore = Pick<
  Store,
  "sessions" | "runs" | "messages" | "media" | "inbox" | "claims" | "pauses" | "usage" | "dailyUsage" | "providerCalls"
> & {
  readonly events: Pick<EventLog, "append" | "compactDeltas" | "lockFree">
}

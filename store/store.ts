import { createCurrentBuild } from "./engine/current-build.ts"
import { createEngineMemory } from "./engine/engine-memory.ts"
import { createMissingExecutions } from "./engine/missing-executions.ts"
import { createReconcilerNotes } from "./engine/reconciler-notes.ts"
import { createEventFeeds } from "./events/event-feeds.ts"
import type { Database } from "./database/database.ts"
import { createAudit } from "./tables/audit.ts"
import { createBindings } from "./tables/delivery/bindings.ts"
import { createDeliveries } from "./tables/delivery/deliveries.ts"
import { createIdempotencyKeys } from "./tables/idempotency-keys.ts"
import { createMachines } from "./tables/machines.ts"
import { createMoves } from "./tables/moves.ts"
import { createCallEdits } from "./tables/pauses/call-edits.ts"
import { createCallPreviews } from "./tables/pauses/call-previews.ts"
import { createGrants } from "./tables/pauses/grants.ts"
import { createProfiles } from "./tables/profiles.ts"
import { createProbe, createPublicAddress } from "./tables/public-address.ts"
import { createSecrets } from "./tables/secrets.ts"
import { createSnapshots, createToolLists } from "./tables/sessions/snapshots.ts"
import { createWorktrees } from "./tables/files/worktrees.ts"
import { createShownFolders } from "./tables/shown-folders.ts"
import { createStopRequests } from "./tables/stop-requests.ts"
import { createTodos } from "./tables/todos.ts"
import { createWorkers } from "./tables/workers.ts"
import { withinTime } from "./database/time-limit.ts"
import { createTransaction } from "./transaction.ts"
import { createWritableStore } from "./writable-store.ts"

export type { NewEvent } from "./events/new-event.ts"
export type { AuditRow } from "./tables/audit.ts"
export type { BindingRow, NewBinding } from "./schema/binding-table.ts"
export type { DeliveryFilter, DeliveryRow, NewDelivery } from "./schema/delivery-table.ts"
export type { Fence } from "./tables/fence.ts"
export type { IdempotencyClaim, IdempotencyKey } from "./tables/idempotency-keys.ts"
export type { SessionPlace } from "./tables/machines.ts"
export type { StoredMedia } from "./tables/messages/media.ts"
export type { MessageRow } from "./tables/messages/message-rows.ts"
export type { CallPreviewRow } from "./tables/pauses/call-previews.ts"
export type { InboxRow } from "./tables/messages/inbox.ts"
export type { GrantRow } from "./schema/grant-table.ts"
export type { NewPause, PauseRow } from "./schema/pause-table.ts"
export type { ProfileRow } from "./schema/profile-table.ts"
export type { ProfileLimits } from "./tables/profiles.ts"
export type { RunRow } from "./schema/run-table.ts"
export type { EndedSession, NewSession, SessionFilter, SessionPage } from "./tables/sessions/session-rows.ts"
export type { SessionPatch, SessionRow } from "./schema/session-table.ts"
export type { StopRequests } from "./tables/stop-requests.ts"
export type { EndedWorktree, WorktreeRow } from "./tables/files/worktrees.ts"
export type { UsageEntry } from "./tables/usage-ledger.ts"
export type { WritableStore } from "./writable-store.ts"

interface StoreParts {
  readonly database: Database
  readonly storeId: string
  readonly pollIntervalMs: number
}

/** Creates the store over an open database. */
export const createStore = ({ database, storeId, pollIntervalMs }: StoreParts) => {
  const feeds = createEventFeeds(database, pollIntervalMs)
  return {
    /** Made once per store: names the task queue. */
    storeId,
    ...createWritableStore(database, feeds),
    snapshots: createSnapshots(database),
    toolLists: createToolLists(database),
    callPreviews: createCallPreviews(database),
    callEdits: createCallEdits(database),
    grants: createGrants(database),
    profiles: createProfiles(database),
    todos: createTodos(database),
    shownFolders: createShownFolders(database),
    audit: createAudit(database),
    idempotencyKeys: createIdempotencyKeys(database),
    deliveries: createDeliveries(database),
    bindings: createBindings(database),
    /** The engine that the store belongs to. */
    engine: createEngineMemory(database),
    build: createCurrentBuild(database),
    missing: createMissingExecutions(database),
    reconciler: createReconcilerNotes(database),
    workers: createWorkers(database),
    machines: createMachines(database),
    /** For a store in a data directory that is moved; SQLite only. */
    moves: createMoves(database),
    worktrees: createWorktrees(database),
    stopRequests: createStopRequests(database),
    secret: createSecrets(database),
    publicAddress: createPublicAddress(database),
    /**
     * Several writes in one transaction: all of them or, where the body throws, none. The body awaits nothing but what it is given. `outlasts`
     * says what the commit survives; default `power-cut`. `crash` is for what may be repeated, or is worth nothing without a later write.
     */
    transaction: createTransaction(database, feeds),
    /** Writes something, to find out whether the store takes writes. @throws AdjutantError `storage_failed` */
    probe: createProbe(database),
    /** Returns that the store does not accept writes, as the last write of this process has shown; undefined if it does. */
    outage: () => database.outage(),
    /** Resolves when everything that was committed before the call survives a power cut. */
    synced: () => database.synced(),
    /** Gives the space of erased rows back to the file system, while others write. */
    shrink: async () => database.shrink?.(),
    /**
     * Runs work whose writes begin only while this time has not passed, and wait for locks no longer than that: when the time has passed, the same work can
     * begin again without overlapping. A write that is refused rejects with `storage_failed`.
     */
    within: withinTime,
    close: async () => {
      feeds.close()
      await database.close()
    },
  }
}

/**
 * What remains when the engine forgets: transcripts, event log, claims, audit. Every method is atomic and durable when it resolves.
 * Rejects with `AdjutantError("storage_failed", …)` when the disk or the file is at fault. Safe for several processes on one file.
 */
export type Store = ReturnType<typeof createStore>

import { createAudit } from "./tables/audit.ts"
import { createBindings } from "./tables/delivery/bindings.ts"
import { createClaims } from "./tables/claims.ts"
import { createCurrentBuild } from "./engine/current-build.ts"
import { createDailyUsage } from "./tables/limits/daily-usage.ts"
import type { Database } from "./database.ts"
import { createDeliveries } from "./tables/delivery/deliveries.ts"
import { createEngineMemory } from "./engine/engine-memory.ts"
import { createMissingExecutions } from "./engine/missing-executions.ts"
import { createReconcilerNotes } from "./engine/reconciler-notes.ts"
import { createEventFeeds } from "./events/event-feeds.ts"
import { createEventLog } from "./events/event-log.ts"
import { createIdempotencyKeys } from "./tables/idempotency-keys.ts"
import { createMachines } from "./tables/machines.ts"
import { createInbox } from "./tables/messages/inbox.ts"
import { createMedia } from "./tables/messages/media.ts"
import { createMessages } from "./tables/messages/messages.ts"
import { createCallEdits } from "./tables/pauses/call-edits.ts"
import { createCallPreviews } from "./tables/pauses/call-previews.ts"
import { createGrants } from "./tables/pauses/grants.ts"
import { createPauses } from "./tables/pauses/pauses.ts"
import { createProfiles } from "./tables/profiles.ts"
import { createProviderCalls } from "./tables/limits/provider-calls.ts"
import { createPublicAddress } from "./tables/public-address.ts"
import { createRuns } from "./tables/sessions/runs.ts"
import { createSecrets } from "./tables/secrets.ts"
import { createSessions } from "./tables/sessions/sessions.ts"
import { createSnapshots, createToolLists } from "./tables/sessions/snapshots.ts"
import { createShownFolders } from "./tables/shown-folders.ts"
import type { Store } from "./store.ts"
import { createStopRequests } from "./tables/stop-requests.ts"
import { withinTime } from "./time-limit.ts"
import { createTransaction } from "./transaction.ts"
import { createTodos } from "./tables/todos.ts"
import { createUsageLedger } from "./tables/usage-ledger.ts"
import { createWorkers } from "./tables/workers.ts"
import { createWorktrees } from "./tables/sessions/worktrees.ts"

export interface StoreParts {
  readonly database: Database
  readonly storeId: string
  readonly pollIntervalMs: number
}

export const assembleStore = ({ database, storeId, pollIntervalMs }: StoreParts): Store => {
  const feeds = createEventFeeds(database, pollIntervalMs)
  return {
    storeId,
    sessions: createSessions(database, feeds.changed),
    runs: createRuns(database),
    snapshots: createSnapshots(database),
    toolLists: createToolLists(database),
    messages: createMessages(database),
    media: createMedia(database),
    inbox: createInbox(database),
    events: createEventLog(database, feeds),
    claims: createClaims(database),
    pauses: createPauses(database),
    callPreviews: createCallPreviews(database),
    callEdits: createCallEdits(database),
    grants: createGrants(database),
    profiles: createProfiles(database),
    usage: createUsageLedger(database),
    dailyUsage: createDailyUsage(database),
    providerCalls: createProviderCalls(database),
    todos: createTodos(database),
    shownFolders: createShownFolders(database),
    audit: createAudit(database),
    transaction: createTransaction(database, feeds),
    within: withinTime,
    idempotencyKeys: createIdempotencyKeys(database),
    deliveries: createDeliveries(database),
    bindings: createBindings(database),
    engine: createEngineMemory(database),
    build: createCurrentBuild(database),
    missing: createMissingExecutions(database, feeds),
    reconciler: createReconcilerNotes(database),
    workers: createWorkers(database),
    machines: createMachines(database),
    worktrees: createWorktrees(database),
    stopRequests: createStopRequests(database),
    secret: createSecrets(database),
    publicAddress: createPublicAddress(database),
    synced: () => database.synced(),
    close: async () => {
      feeds.close()
      await database.close()
    },
  }
}

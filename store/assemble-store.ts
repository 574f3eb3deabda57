import { createAudit } from "./audit.ts"
import { createBindings } from "./bindings.ts"
import { createClaims } from "./claims.ts"
import type { Database } from "./database.ts"
import { createDeliveries } from "./deliveries.ts"
import { createEngineMemory } from "./engine/engine-memory.ts"
import { createMissingExecutions } from "./engine/missing-executions.ts"
import { createEventFeeds } from "./event-feeds.ts"
import { createEventLog } from "./event-log.ts"
import { createIdempotencyKeys } from "./idempotency-keys.ts"
import { createInbox } from "./inbox.ts"
import { createMessages } from "./messages.ts"
import { createPauses } from "./pauses.ts"
import { createPublicAddress } from "./public-address.ts"
import { createRuns } from "./runs.ts"
import { createSecrets } from "./secrets.ts"
import { createSessions } from "./sessions.ts"
import { createSnapshots } from "./snapshots.ts"
import type { Store } from "./store.ts"
import { createTogether } from "./together.ts"
import { createTodos } from "./todos.ts"
import { createUsageLedger } from "./usage-ledger.ts"

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
    messages: createMessages(database),
    inbox: createInbox(database),
    events: createEventLog(database, feeds),
    claims: createClaims(database),
    pauses: createPauses(database),
    usage: createUsageLedger(database),
    todos: createTodos(database),
    audit: createAudit(database),
    together: createTogether(database, feeds),
    idempotencyKeys: createIdempotencyKeys(database),
    deliveries: createDeliveries(database),
    bindings: createBindings(database),
    engine: createEngineMemory(database),
    missing: createMissingExecutions(database, feeds),
    secret: createSecrets(database),
    publicAddress: createPublicAddress(database),
    close: async () => {
      feeds.close()
      await database.close()
    },
  }
}
